SELECT event_type,
  person.id, person.name, person.emailAddress, person.creditCard, person.city, person.state,
  person.extra,
  auction.id, auction.itemName, auction.description, auction.initialBid, auction.reserve,
  auction.expires, auction.seller, auction.category, auction.extra,
  bid.auction, bid.bidder, bid.price, bid.channel, bid.url, bid.extra,
  `dateTime`
FROM events
