using System.Text;

namespace Ioxide.TestKit;

/// <content>Sections 12 and 13: permessage-deflate over texts of several kinds, and its parameters. Source: RFC 7692, section 7.</content>
internal static partial class WebSocketCatalog
{
    private const string Deflate = "RFC 7692, 7.2";
    private const string Parameters = "RFC 7692, 7.1";
    private const string Offer = "permessage-deflate; client_no_context_takeover; client_max_window_bits";
    private const int SampleBytes = 200_000;
    private const int CompressedBit = 4;

    // Of each size so many bytes are sent, in four messages at least. The catalogue's thousand of each say how fast a server is.
    private const int CaseBytes = 32 * Kilobyte;
    private const int MinMessages = 4;
    private const int MaxMessages = 50;

    // Length of a message, and of the frames that it goes out in; 0 for one.
    private static readonly (int LengthBytes, int FragmentBytes)[] s_sizes =
    [
        (16, 0), (64, 0), (256, 0), (1024, 0), (4096, 0), (8192, 0), (16_384, 0), (32_768, 0), (65_536, 0), (131_072, 0),
        (8192, 256), (16_384, 256), (32_768, 256), (65_536, 256), (131_072, 256), (131_072, 1024), (131_072, 4096), (131_072, 32_768),
    ];

    private static readonly string[][] s_offers =
    [
        [Offer],
        [$"{Offer}; server_no_context_takeover"],
        [$"{Offer}; server_max_window_bits=9"],
        [$"{Offer}; server_max_window_bits=15"],
        [$"{Offer}; server_no_context_takeover; server_max_window_bits=9"],
        [$"{Offer}; server_no_context_takeover; server_max_window_bits=15"],
        [$"{Offer}; server_no_context_takeover; server_max_window_bits=9", $"{Offer}; server_no_context_takeover", Offer],
    ];

    private static IEnumerable<WebSocketCase> Compression()
    {
        (int Opcode, Lazy<byte[]> Sample)[] kinds =
        [
            (WebSocketFrame.Text, new Lazy<byte[]>(Json)), (WebSocketFrame.Binary, new Lazy<byte[]>(Picture)),
            (WebSocketFrame.Binary, new Lazy<byte[]>(Prose)), (WebSocketFrame.Text, new Lazy<byte[]>(Html)),
            (WebSocketFrame.Binary, new Lazy<byte[]>(Noise)),
        ];
        for (int kind = 0; kind < kinds.Length; kind++)
        {
            for (int size = 0; size < s_sizes.Length; size++)
            {
                yield return Compressed($"12.{kind + 1}.{size + 1}", Deflate, kinds[kind].Opcode, kinds[kind].Sample, s_sizes[size], s_offers[0]);
            }
        }

        for (int offer = 0; offer < s_offers.Length; offer++)
        {
            for (int size = 0; size < s_sizes.Length; size++)
            {
                yield return Compressed($"13.{offer + 1}.{size + 1}", Parameters, kinds[0].Opcode, kinds[0].Sample, s_sizes[size], s_offers[offer]);
            }
        }
    }

    private static WebSocketCase Compressed(
        string id, string source, int opcode, Lazy<byte[]> sample, (int LengthBytes, int FragmentBytes) size, string[] offers)
        => new(id, source, WebSocketEnding.Clean, () => Turns(opcode, sample.Value, size.LengthBytes, size.FragmentBytes)) { Offers = offers };

    private static IEnumerable<WebSocketTurn> Turns(int opcode, byte[] sample, int lengthBytes, int fragmentBytes)
    {
        int count = Math.Clamp(CaseBytes / lengthBytes, MinMessages, MaxMessages);
        for (int number = 0; number < count; number++)
        {
            int start = number * lengthBytes % (sample.Length - lengthBytes + 1);
            byte[] message = sample[start..(start + lengthBytes)];
            yield return new WebSocketTurn(
                deflater => WebSocketFrame.Message(opcode, deflater!.Deflate(message), fragmentBytes, CompressedBit), Of(opcode, message));
        }
    }

    private static byte[] Json()
    {
        Random random = new(12);
        StringBuilder text = new("[");
        while (text.Length < SampleBytes)
        {
            text.Append('{').Append($"\"id\":{random.Next()},\"name\":\"sensor {random.Next(40)}\",")
                .Append($"\"values\":[{random.Next(100)},{random.Next(100)}],")
                .Append($"\"isOn\":{(random.Next(2) == 0 ? "true" : "false")}").Append("},");
        }

        return Encoding.ASCII.GetBytes(text.ToString());
    }

    // Gray, 512 pixels a row: neighbours are alike and yet rarely the same.
    private static byte[] Picture()
    {
        Random random = new(13);
        return
        [
            .. Enumerable.Range(0, SampleBytes)
                .Select(at => (byte)((60 * (2 + (Math.Sin(at % 512 / 40.0) * Math.Cos(at / 512 / 30.0)))) + random.Next(6))),
        ];
    }

    private static byte[] Prose()
    {
        string[] words = ["der", "die", "über", "Wald", "ging", "müde", "nach", "Straße", "wo", "ein", "Mädchen", "saß,", "lachte", "und"];
        Random random = new(14);
        StringBuilder text = new();
        while (text.Length < SampleBytes)
        {
            text.Append(words[random.Next(words.Length)]).Append(random.Next(9) == 0 ? '\n' : ' ');
        }

        return Encoding.UTF8.GetBytes(text.ToString());
    }

    private static byte[] Html()
    {
        Random random = new(15);
        StringBuilder text = new("<!doctype html><title>Table</title><table>");
        while (text.Length < SampleBytes)
        {
            text.Append($"<tr class=\"row{random.Next(2)}\"><td>{random.Next()}</td><td><a href=\"/item/{random.Next(10_000)}\">go</a></td></tr>\n");
        }

        return Encoding.ASCII.GetBytes(text.ToString());
    }

    // As a document that is compressed already.
    private static byte[] Noise()
    {
        byte[] bytes = new byte[SampleBytes];
        new Random(16).NextBytes(bytes);
        return bytes;
    }
}
