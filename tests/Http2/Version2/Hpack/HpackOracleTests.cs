namespace Ioxide.Http2.Tests;

/// <summary>nghttp2 beside ours: what one encodes the other decodes, and both refuse the same blocks.</summary>
[Once]
public class HpackOracleTests
{
    private const string Letters = "abcdefghijklmnopqrstuvwxyz0123456789-./=;, %\u0001\u007F\u00E9\u00FF";

    private static readonly string[] s_names =
        [":path", ":authority", "x-c", "user-agent", "x-a", "x-b", "accept", "authorization", "grpc-timeout", "te", "via"];

    private static readonly string[] s_responseNames =
        ["Content-Type", "Server", "Date", "Content-Length", "Set-Cookie", "X-Own", "Cache-Control", "grpc-status", "ETag", "Vary"];

    [Theory, Each(1, 2, 3, 4)]
    public void ReadsWhatNghttp2Writes(int seed)
    {
        Nghttp2.Require();
        Random random = new(seed);
        using Nghttp2.Encoder encoder = new();
        HpackDecoder decoder = new(4096, 8192);
        for (int block = 0; block < 2_000; block++)
        {
            if (random.Next(50) == 0)
            {
                encoder.Resize(random.Next(4097));
            }

            List<Field> fields = Draw(random, s_names);
            Assert.Equal(fields, FieldList.Decode(decoder, encoder.Encode(fields)));
        }
    }

    [Theory, Each(1, 2, 3, 4)]
    public void Nghttp2ReadsWhatWeWrite(int seed)
    {
        Nghttp2.Require();
        Random random = new(seed);
        using Nghttp2.Decoder decoder = new();
        HpackEncoder encoder = new();
        HpackBuffer block = new();
        string[] dates = ["Mon, 21 Oct 2013 20:13:21 GMT", "Mon, 21 Oct 2013 20:13:22 GMT"];
        for (int index = 0; index < 2_000; index++)
        {
            if (random.Next(50) == 0)
            {
                for (int change = random.Next(1, 4); change > 0; change--)
                {
                    int bytes = random.Next(10_000);
                    decoder.Allow(bytes);
                    encoder.Allow((uint)bytes);
                }
            }

            int status = random.Next(3) == 0 ? random.Next(100, 600) : 200;
            string? type = random.Next(4) == 0 ? null : random.Next(2) == 0 ? "text/plain" : "application/json; charset=utf-8";
            string? server = random.Next(10) == 0 ? null : "Kestrel";
            string date = dates[random.Next(20) == 0 ? 1 : 0];
            List<Field> fields = Draw(random, s_responseNames, isPrintable: true);
            block.Clear();
            encoder.Begin(block);
            encoder.WriteStart(block, status, type, server, date);
            fields.ForEach(field => encoder.Write(block, field.Name, field.Value));

            List<Field> expected =
            [
                new(":status", $"{status}"),
                .. type is null ? (Field[])[] : [new("content-type", type)],
                .. server is null ? (Field[])[] : [new("server", server)],
                new("date", date),
                .. fields.Select(field => new Field(field.Name.ToLowerInvariant(), field.Value, field.Name == "Set-Cookie")),
            ];
            Assert.Equal(expected, decoder.Decode(block.Written.ToArray()));
            Assert.Equal(decoder.TableBytes, encoder.Table.SizeBytes);
        }
    }

    /// <summary>Blocks with some bytes changed, taken out, put in or cut: both give the same fields, or both refuse.</summary>
    [Theory, Each(11, 12, 13, 14)]
    public void BothReadOrBothRefuseMutatedBlocks(int seed)
    {
        Nghttp2.Require();
        Random random = new(seed);
        for (int round = 0; round < 1_250; round++)
        {
            using Nghttp2.Encoder encoder = new();
            List<byte[]> blocks = [.. Enumerable.Range(0, 4).Select(_ => encoder.Encode(Draw(random, s_names)))];
            for (int attempt = 0; attempt < 25; attempt++)
            {
                using Nghttp2.Decoder theirs = new();
                HpackDecoder ours = new(4096, 1 << 16);
                foreach (byte[] original in blocks)
                {
                    byte[] block = random.Next(3) == 0 ? original : Mutate(random, original);
                    FieldList list = new();
                    HpackError error = ours.Decode(block, list);
                    List<Field>? expected = theirs.Decode(block);
                    string text = $"seed {seed}, round {round}: {Convert.ToHexStringLower(block)}";
                    Assert.True(error == HpackError.None == expected is not null, $"{error}, {text}");
                    if (expected is null)
                    {
                        break;
                    }

                    Assert.True(expected.SequenceEqual(list.Fields), text);
                    Assert.Equal(theirs.TableBytes, ours.Table.SizeBytes);
                }
            }
        }
    }

    [Fact]
    public void TheStartOfAnswersIsAFewBytesOnceTheTableHasIt()
    {
        HpackEncoder encoder = new();
        HpackBuffer block = new();
        List<int> lengths = [];
        for (int index = 0; index < 4; index++)
        {
            block.Clear();
            encoder.Begin(block);
            encoder.WriteStart(block, 200, "text/plain", "Kestrel", "Mon, 21 Oct 2013 20:13:21 GMT");
            lengths.Add(block.Length);
        }

        Assert.True(lengths[0] > 30);
        Assert.Equal([4, 4, 4], lengths[1..]);
    }

    private static List<Field> Draw(Random random, string[] names, bool isPrintable = false)
    {
        List<Field> fields = [];
        for (int count = random.Next(8); count > 0; count--)
        {
            string name = names[random.Next(names.Length)];
            string value = random.Next(3) switch
            {
                0 => "v" + random.Next(3),
                1 => Text(random, random.Next(12), isPrintable),
                _ => Text(random, random.Next(600), isPrintable),
            };
            fields.Add(new Field(name, value, !isPrintable && (name == "authorization" || random.Next(9) == 0)));
        }

        return fields;
    }

    private static string Text(Random random, int length, bool isPrintable)
        => new([.. Enumerable.Range(0, length).Select(_ => Letters[random.Next(Letters.Length - (isPrintable ? 4 : 0))])]);

    private static byte[] Mutate(Random random, byte[] original)
    {
        List<byte> block = [.. original];
        for (int changes = random.Next(1, 4); changes > 0; changes--)
        {
            int at = random.Next(block.Count + 1);
            switch (random.Next(4))
            {
                case 0 when at < block.Count:
                    block[at] ^= (byte)(1 << random.Next(8));
                    break;
                case 1 when at < block.Count:
                    block.RemoveAt(at);
                    break;
                case 2:
                    block.Insert(at, (byte)random.Next(256));
                    break;
                default:
                    block.RemoveRange(at, block.Count - at);
                    break;
            }
        }

        return [.. block];
    }
}
