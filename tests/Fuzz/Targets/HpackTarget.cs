using System.Text;
using Ioxide.Http2;

namespace Ioxide.Fuzz;

/// <summary>Header blocks of one connection: each is a length of two bytes and the block. What was decoded is encoded and decoded again.</summary>
internal sealed class HpackTarget() : FuzzTarget("hpack")
{
    private const int MaxStringBytes = 4096;

    internal override IEnumerable<byte[]> Seeds()
    {
        // RFC 7541, appendix C: the requests of C.3 and C.4, an answer of C.6, a size update, a long integer.
        yield return Blocks("828684410f7777772e6578616d706c652e636f6d", "828684be58086e6f2d6361636865", "828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565");
        yield return Blocks("828684418cf1e3c2e5f23a6ba0ab90f4ff", "828684be5886a8eb10649cbf", "828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf");
        yield return Blocks("488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863c78f0b97c8e9ae82ae43d3");
        yield return Blocks("3fe11f", "203fe11f82", "1f9a0a0a", "7f8001");
    }

    internal override void Read(ReadOnlySpan<byte> input)
    {
        var decoder = new HpackDecoder(HpackDecoder.DefaultTableBytes, MaxStringBytes);
        var encoder = new HpackEncoder();
        var again = new HpackDecoder(HpackDecoder.DefaultTableBytes, int.MaxValue);
        HpackError error = HpackError.None;
        while (input.Length >= sizeof(ushort) && error == HpackError.None)
        {
            int length = Math.Min((input[0] << 8) | input[1], input.Length - sizeof(ushort));
            var fields = new Fields();
            error = decoder.Decode(input.Slice(sizeof(ushort), length), fields);
            input = input[(sizeof(ushort) + length)..];
            Require(decoder.Table.SizeBytes <= decoder.Table.MaxSizeBytes, "The table is larger than it may be.");
            Require(decoder.Table.MaxSizeBytes <= HpackDecoder.DefaultTableBytes, "The table may be larger than was allowed.");
            Require(fields.All.TrueForAll(static field => field.Name.Length <= MaxStringBytes && field.Value.Length <= MaxStringBytes), "A string is too long.");
            // Names that an application can send are tokens.
            if (error == HpackError.None && fields.All.TrueForAll(static field => Ascii.IsValid(field.Name)))
            {
                var block = new HpackBuffer();
                encoder.Begin(block);
                foreach ((string name, string value) in fields.All)
                {
                    encoder.Write(block, name, value, Encoding.Latin1);
                }

                var same = new Fields();
                Require(again.Decode(block.Written, same) == HpackError.None, "What was encoded cannot be decoded.");
                Require(same.All.SequenceEqual(fields.All.Select(Lower)), "What was encoded is decoded otherwise.");
            }
        }
    }

    // The encoder writes names as HTTP/2 has them.
    private static (string Name, string Value) Lower((string Name, string Value) field)
        => (string.Concat(field.Name.Select(static letter => char.IsAsciiLetterUpper(letter) ? char.ToLowerInvariant(letter) : letter)), field.Value);

    private static byte[] Blocks(params string[] blocks) =>
    [
        .. blocks.Select(Convert.FromHexString).SelectMany(static block => (byte[])[(byte)(block.Length >> 8), (byte)block.Length, .. block]),
    ];

    private sealed class Fields : IHpackFields
    {
        internal List<(string Name, string Value)> All { get; } = [];

        public void OnField(HpackField field) => Add(field.Name, field.Value);

        public void OnLiteral(HpackField? tableName, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value, bool isNeverIndexed) => Add(name, value);

        private void Add(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value) => All.Add((Encoding.Latin1.GetString(name), Encoding.Latin1.GetString(value)));
    }
}
