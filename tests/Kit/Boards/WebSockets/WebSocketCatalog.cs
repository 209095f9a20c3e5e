using System.Runtime.CompilerServices;
using System.Text;

namespace Ioxide.TestKit;

/// <summary>
/// The cases of the Autobahn test suite for servers of WebSockets, by its numbers: 1 framing, 2 pings, 3 reserved bits, 4 opcodes, 5 fragments,
/// 6 UTF-8, 7 closing, 9 sizes, 10 fragments of its own, 12 and 13 compression. What is sent is written from the RFCs; the server echoes messages.
/// </summary>
internal static partial class WebSocketCatalog
{
    private const string Framing = "RFC 6455, 5.2";
    private const string Control = "RFC 6455, 5.5";
    private const string Fragmentation = "RFC 6455, 5.4";

    private static readonly byte[] s_word = Encoding.UTF8.GetBytes("Moin, moin");

    private static readonly byte[] s_binary = [0, 0xff, 0xfe, 0x80, 0xc0, 0, 0xf5, 0xff];

    private static readonly Lazy<IReadOnlyDictionary<string, WebSocketCase>> s_cases = new(static () => All().ToDictionary(static @case => @case.Id));

    /// <summary>Every case by its id.</summary>
    internal static IReadOnlyDictionary<string, WebSocketCase> Cases => s_cases.Value;

    private static IEnumerable<WebSocketCase> All()
        => [.. Messages(), .. Pings(), .. ReservedBits(), .. Opcodes(), .. Fragments(), .. Texts(), .. Closes(), .. Sizes(), .. Compression()];

    // A message of each way to say a length, then one that is cut on its way.
    private static IEnumerable<WebSocketCase> Messages()
    {
        int[] lengths = [0, 125, 126, 127, 128, 65_535, 65_536, 65_536];
        foreach ((int section, int opcode) in new[] { (1, WebSocketFrame.Text), (2, WebSocketFrame.Binary) })
        {
            for (int index = 0; index < lengths.Length; index++)
            {
                byte[] message = Payload(opcode, lengths[index]);
                int chopBytes = index == lengths.Length - 1 ? 997 : 0;
                yield return Echo($"1.{section}.{index + 1}", Framing, opcode, message, WebSocketFrame.Make(opcode, message), chopBytes);
            }
        }
    }

    private static IEnumerable<WebSocketCase> Pings()
    {
        byte[] long125 = Payload(WebSocketFrame.Binary, 125);
        byte[] unasked = WebSocketFrame.Make(WebSocketFrame.Pong, "unasked"u8);
        byte[] close = WebSocketFrame.MakeClose(WebSocketEnding.Normal);
        byte[][] ten = [.. Enumerable.Range(0, 10).Select(static number => Encoding.ASCII.GetBytes($"ping {number}"))];
        byte[] tenPings = [.. ten.SelectMany(static payload => WebSocketFrame.Make(WebSocketFrame.Ping, payload))];
        WebSocketEvent[] tenPongs = [.. ten.Select(Pong)];

        yield return Ping("2.1", []);
        yield return Ping("2.2", s_word);
        yield return Ping("2.3", s_binary);
        yield return Ping("2.4", long125);
        yield return Fails("2.5", Control, WebSocketFrame.Make(WebSocketFrame.Ping, Payload(WebSocketFrame.Binary, 126)));
        yield return Ping("2.6", long125, chopBytes: 1);
        yield return new WebSocketCase(
            "2.7", "RFC 6455, 5.5.3", WebSocketEnding.Answered(WebSocketEnding.Normal),
            () => [WebSocketTurn.Of([.. WebSocketFrame.Make(WebSocketFrame.Pong, []), .. close])]);
        yield return new WebSocketCase(
            "2.8", "RFC 6455, 5.5.3", WebSocketEnding.Answered(WebSocketEnding.Normal), () => [WebSocketTurn.Of([.. unasked, .. close])]);
        yield return Clean("2.9", "RFC 6455, 5.5.3", [.. unasked, .. WebSocketFrame.Make(WebSocketFrame.Ping, s_word)], 0, Pong(s_word));
        yield return Clean("2.10", "RFC 6455, 5.5.2", tenPings, 0, tenPongs);
        yield return Clean("2.11", "RFC 6455, 5.5.2", tenPings, 1, tenPongs);
    }

    private static IEnumerable<WebSocketCase> ReservedBits()
    {
        byte[] text = WebSocketFrame.Make(WebSocketFrame.Text, s_word);
        byte[] ping = WebSocketFrame.Make(WebSocketFrame.Ping, []);
        yield return Fails("3.1", Framing, WebSocketFrame.Make(WebSocketFrame.Text, s_word, rsv: 1));
        foreach ((int rsv, int chopBytes) in new[] { (2, 0), (3, text.Length), (4, 1) })
        {
            byte[] bytes = [.. text, .. WebSocketFrame.Make(WebSocketFrame.Text, s_word, rsv: rsv), .. ping];
            yield return Fails($"3.{rsv}", Framing, bytes, chopBytes, Text(s_word));
        }

        yield return Fails("3.5", Framing, WebSocketFrame.Make(WebSocketFrame.Binary, s_binary, rsv: 5));
        yield return Fails("3.6", Framing, WebSocketFrame.Make(WebSocketFrame.Ping, s_word, rsv: 6));
        yield return Fails("3.7", Framing, WebSocketFrame.Make(WebSocketFrame.Close, [], rsv: 7));
    }

    private static IEnumerable<WebSocketCase> Opcodes()
    {
        byte[] text = WebSocketFrame.Make(WebSocketFrame.Text, s_word);
        byte[] ping = WebSocketFrame.Make(WebSocketFrame.Ping, []);
        foreach ((int section, int first) in new[] { (1, 3), (2, 11) })
        {
            yield return Fails($"4.{section}.1", Framing, WebSocketFrame.Make(first, []));
            yield return Fails($"4.{section}.2", Framing, WebSocketFrame.Make(first + 1, s_word));
            yield return Fails($"4.{section}.3", Framing, [.. text, .. WebSocketFrame.Make(first + 2, []), .. ping], 0, Text(s_word));
            yield return Fails($"4.{section}.4", Framing, [.. text, .. WebSocketFrame.Make(first + 3, s_word), .. ping], 0, Text(s_word));
            yield return Fails($"4.{section}.5", Framing, [.. text, .. WebSocketFrame.Make(first + 4, s_word), .. ping], 1, Text(s_word));
        }
    }

    private static IEnumerable<WebSocketCase> Fragments()
    {
        byte[] first = WebSocketFrame.Make(WebSocketFrame.Text, "one, "u8, isFinal: false);
        byte[] middle = WebSocketFrame.Make(WebSocketFrame.Continuation, "two, "u8, isFinal: false);
        byte[] last = WebSocketFrame.Make(WebSocketFrame.Continuation, "three"u8);
        byte[] whole = WebSocketFrame.Make(WebSocketFrame.Text, s_word);
        byte[] ping = WebSocketFrame.Make(WebSocketFrame.Ping, "now"u8);
        WebSocketEvent message = Text("one, three"u8.ToArray());
        WebSocketEvent pong = Pong("now"u8.ToArray());

        yield return Fails("5.1", Control, InTwo(WebSocketFrame.Ping));
        yield return Fails("5.2", Control, InTwo(WebSocketFrame.Pong));

        // Whole, a frame at a time, an octet at a time.
        int[] chops = [0, first.Length, 1];
        for (int index = 0; index < chops.Length; index++)
        {
            yield return Clean($"5.{3 + index}", Fragmentation, [.. first, .. last], chops[index], message);
            yield return Clean($"5.{6 + index}", Fragmentation, [.. first, .. ping, .. last], chops[index], pong, message);
            yield return Fails($"5.{9 + index}", Fragmentation, [.. last, .. whole], chops[index]);
            yield return Fails($"5.{12 + index}", Fragmentation, [.. middle, .. whole], chops[index]);
        }

        yield return Fails("5.15", Fragmentation, [.. first, .. last, .. middle, .. whole], 0, message);
        yield return Fails("5.16", Fragmentation, [.. middle, .. first, .. last, .. middle, .. first, .. last]);
        yield return Fails("5.17", Fragmentation, [.. last, .. first, .. last, .. last, .. first, .. last]);
        yield return Fails("5.18", Fragmentation, [.. first, .. whole]);

        byte[] start = [.. first, .. middle, .. ping];
        byte[] end = [.. middle, .. middle, .. ping, .. last];
        WebSocketEvent five = Text("one, two, two, two, three"u8.ToArray());
        yield return new WebSocketCase(
            "5.19", Fragmentation, WebSocketEnding.Clean, () => [WebSocketTurn.Of(start, pong), WebSocketTurn.Of(end, pong, five)]);
        yield return new WebSocketCase(
            "5.20", Fragmentation, WebSocketEnding.Clean,
            () => [WebSocketTurn.Of(start, pong) with { ChopBytes = 1 }, WebSocketTurn.Of(end, pong, five) with { ChopBytes = 1 }]);

        static byte[] InTwo(int opcode)
            => [.. WebSocketFrame.Make(opcode, "half "u8, isFinal: false), .. WebSocketFrame.Make(WebSocketFrame.Continuation, "a ping"u8)];
    }

    private static WebSocketCase Ping(string id, byte[] payload, int chopBytes = 0)
        => Clean(id, "RFC 6455, 5.5.2", WebSocketFrame.Make(WebSocketFrame.Ping, payload), chopBytes, Pong(payload));

    private static WebSocketCase Echo(string id, string source, int opcode, byte[] message, byte[] bytes, int chopBytes = 0)
        => Clean(id, source, bytes, chopBytes, Of(opcode, message));

    private static WebSocketCase Clean(string id, string source, byte[] bytes, int chopBytes, params WebSocketEvent[] expected)
        => new(id, source, WebSocketEnding.Clean, () => [WebSocketTurn.Of(bytes, expected) with { ChopBytes = chopBytes }]);

    private static WebSocketCase Fails(string id, string source, byte[] bytes, int chopBytes = 0, params WebSocketEvent[] expected)
        => new(id, source, WebSocketEnding.BrokenProtocol, () => [WebSocketTurn.Of(bytes, expected) with { ChopBytes = chopBytes }]);

    private static WebSocketEvent Text(byte[] message) => new(WebSocketEventKind.Text, message);

    private static WebSocketEvent Pong(byte[] payload) => new(WebSocketEventKind.Pong, payload);

    private static WebSocketEvent Of(int opcode, byte[] message)
        => new(opcode == WebSocketFrame.Text ? WebSocketEventKind.Text : WebSocketEventKind.Binary, message);

    /// <summary>A message whose bytes tell where they stand; a text where the opcode says so.</summary>
    /// <remarks>
    /// Inlined in front of the <c>using</c> of <see cref="WebSocketFrame.Message"/>, the loop crashes .NET 10.0.12: the code that it makes stores the
    /// array to its place on the stack behind the loop, and tells the collector that the place is filled within it.
    /// </remarks>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static byte[] Payload(int opcode, int lengthBytes)
    {
        byte[] payload = new byte[lengthBytes];
        for (int index = 0; index < payload.Length; index++)
        {
            payload[index] = (byte)(opcode == WebSocketFrame.Text ? ' ' + (index % 89) : (index * 31) ^ (index >> 8));
        }

        return payload;
    }
}
