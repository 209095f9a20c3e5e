using System.Buffers;
using Ioxide.Tls;

namespace Ioxide.Fuzz;

/// <summary>What a client sends first over TLS: found whole in the same place however it comes, and read.</summary>
internal sealed class HelloTarget() : FuzzTarget("hello")
{
    internal override IEnumerable<byte[]> Seeds()
    {
        // A hello with a server name, versions, groups, a key share and protocols; the same in two records; one of TLS 1.2 without extensions.
        string extensions =
            "0000000e000c0000096c6f63616c686f7374" + "002b0005040304" + "0303" + "000a00040002001d" + "000d0004000208040010000e000c02683208687474702f312e31"
            + "003300260024001d0020" + new string('a', 64);
        string body = "0303" + new string('7', 64) + "00" + "0006130113021303" + "0100" + (extensions.Length / 2).ToString("x4", null) + extensions;
        string message = "01" + (body.Length / 2).ToString("x6", null) + body;
        yield return Convert.FromHexString(Record(message));
        yield return Convert.FromHexString(Record(message[..40]) + Record(message[40..]));
        yield return Convert.FromHexString(Record("01000029" + "0303" + new string('5', 64) + "00" + "0002c02f" + "0100"));
    }

    internal override void Read(ReadOnlySpan<byte> input)
    {
        foreach (bool isSecond in (ReadOnlySpan<bool>)[false, true])
        {
            string whole = Scan(Pieces.Whole(input), isSecond), cut = Scan(Pieces.Of(input), isSecond);
            Require(whole == cut, $"'{whole}' in one piece, '{cut}' in many.");
            Require(Grow(input, isSecond) == whole, "A hello that grows is judged otherwise.");
        }

        _ = HelloInfo.Read(input).Name;
    }

    private static string Record(string content) => $"160301{content.Length / 2:x4}{content}";

    private static string Scan(ReadOnlySequence<byte> bytes, bool isSecond)
    {
        try
        {
            var scan = new HelloScan(isSecond);
            return scan.IsWhole(bytes, out int length) ? $"{length} {HelloInfo.Read(bytes.Slice(0, length))}" : "not whole";
        }
        catch (TlsException refused)
        {
            return refused.Message;
        }
    }

    /// <summary>One scan, looked at after every byte, as a slow client's hello is.</summary>
    private static string Grow(ReadOnlySpan<byte> input, bool isSecond)
    {
        var scan = new HelloScan(isSecond);
        byte[] bytes = input.ToArray();
        try
        {
            // Steps grow, so that a long input does not take their square.
            for (int length = 0; length < bytes.Length; length += 1 + (length / 16))
            {
                if (scan.IsWhole(new ReadOnlySequence<byte>(bytes, 0, length), out int found))
                {
                    return $"{found} {HelloInfo.Read(new ReadOnlySequence<byte>(bytes, 0, found))}";
                }
            }

            return scan.IsWhole(new ReadOnlySequence<byte>(bytes), out int whole)
                ? $"{whole} {HelloInfo.Read(new ReadOnlySequence<byte>(bytes, 0, whole))}"
                : "not whole";
        }
        catch (TlsException refused)
        {
            return refused.Message;
        }
    }
}
