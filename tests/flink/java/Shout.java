package sameriver.tests;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.format.DecodingFormat;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.factories.DeserializationFormatFactory;
import org.apache.flink.table.factories.DynamicTableFactory;
import org.apache.flink.table.types.DataType;

/** A format whose rows are one string: the line in capitals. */
public class Shout implements DeserializationFormatFactory {

    @Override
    public String factoryIdentifier() {
        return "shout";
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of();
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return Set.of();
    }

    @Override
    public DecodingFormat<DeserializationSchema<RowData>> createDecodingFormat(
            DynamicTableFactory.Context context, ReadableConfig options) {
        return new DecodingFormat<>() {
            @Override
            public ChangelogMode getChangelogMode() {
                return ChangelogMode.insertOnly();
            }

            @Override
            public DeserializationSchema<RowData> createRuntimeDecoder(
                    DynamicTableSource.Context context, DataType type) {
                return new Lines(context.createTypeInformation(type));
            }
        };
    }

    private static final class Lines implements DeserializationSchema<RowData> {
        private final TypeInformation<RowData> type;

        Lines(TypeInformation<RowData> type) {
            this.type = type;
        }

        @Override
        public RowData deserialize(byte[] line) {
            String text = new String(line, StandardCharsets.UTF_8);
            return GenericRowData.of(StringData.fromString(text.toUpperCase()));
        }

        @Override
        public boolean isEndOfStream(RowData row) {
            return false;
        }

        @Override
        public TypeInformation<RowData> getProducedType() {
            return type;
        }
    }
}
