using System.Buffers;
using System.Buffers.Binary;
using BenchmarkDotNet.Attributes;
using Ioxide.Pg;

namespace Ioxide.Benchmarks;

/// <summary>The fields of one row of items (five numbers, a truth value, two texts, a jsonb), from the wire into JSON.</summary>
public class RowJsonBenchmarks
{
    private readonly ArrayBufferWriter<byte> _writer = new(4096);
    private readonly byte[] _number = new byte[4];
    private readonly byte[] _json = [1, .. "[\"tag1\", \"tag2\"]"u8];

    public RowJsonBenchmarks() => BinaryPrimitives.WriteInt32BigEndian(_number, 1234);

    [Benchmark]
    public int NineFields()
    {
        _writer.ResetWrittenCount();
        var sink = new Utf8Sink(_writer);
        for (int number = 0; number < 5; number++)
        {
            FieldJson.Write(new PgField(_number, PgTypeId.Int4, PgFormat.Binary), ref sink);
        }

        FieldJson.Write(new PgField([1], PgTypeId.Bool, PgFormat.Binary), ref sink);
        FieldJson.Write(new PgField("Item 1234"u8, PgTypeId.Text, PgFormat.Binary), ref sink);
        FieldJson.Write(new PgField("Category \"4\""u8, PgTypeId.Text, PgFormat.Binary), ref sink);
        FieldJson.Write(new PgField(_json, PgTypeId.Jsonb, PgFormat.Binary), ref sink);
        sink.Flush();
        return _writer.WrittenCount;
    }
}
