"""The same scripts on Apache Flink: its planner and a cluster, by way of a Java process."""
