using System.Text;
using System.Text.Unicode;

namespace Ioxide.TestKit;

/// <content>Section 6: texts, right and wrong. Source: RFC 6455, section 8.1; RFC 3629, sections 3 and 4.</content>
internal static partial class WebSocketCatalog
{
    private const string Utf8Text = "RFC 6455, 8.1";
    private const string Utf8Form = "RFC 3629, 3";
    private const int MaxSequenceBytes = 6;
    private const int LastCodePoint = 0x10ffff;

    private static readonly byte[] s_greek = Encoding.UTF8.GetBytes("κ\u1f79σμε");
    private static readonly int[] s_high = [0xd800, 0xdb7f, 0xdb80, 0xdbff];
    private static readonly int[] s_low = [0xdc00, 0xdfff];
    private static readonly byte[] s_beyond = Encode(LastCodePoint + 1, 4);

    private static IEnumerable<WebSocketCase> Texts() => [.. FragmentedTexts(), .. BrokenTexts(), .. TextsInSections()];

    private static IEnumerable<WebSocketCase> FragmentedTexts()
    {
        byte[] mixed = Encoding.UTF8.GetBytes("Grüße: µ, ß, €, ö!");
        byte[] empty = WebSocketFrame.Make(WebSocketFrame.Continuation, [], isFinal: false);
        byte[] emptyFirst = WebSocketFrame.Make(WebSocketFrame.Text, [], isFinal: false);
        byte[] emptyLast = WebSocketFrame.Make(WebSocketFrame.Continuation, []);
        int half = Encoding.UTF8.GetByteCount("Grüße: µ");

        yield return Echo("6.1.1", Framing, WebSocketFrame.Text, [], WebSocketFrame.Make(WebSocketFrame.Text, []));
        yield return Echo("6.1.2", Fragmentation, WebSocketFrame.Text, [], [.. emptyFirst, .. empty, .. emptyLast]);
        yield return Echo(
            "6.1.3", Fragmentation, WebSocketFrame.Text, s_word,
            [.. emptyFirst, .. WebSocketFrame.Make(WebSocketFrame.Continuation, s_word, isFinal: false), .. emptyLast]);
        yield return Echo("6.2.1", Utf8Text, WebSocketFrame.Text, mixed, WebSocketFrame.Make(WebSocketFrame.Text, mixed));
        yield return Echo(
            "6.2.2", Utf8Text, WebSocketFrame.Text, mixed,
            [
                .. WebSocketFrame.Make(WebSocketFrame.Text, mixed.AsSpan(0, half), isFinal: false),
                .. WebSocketFrame.Make(WebSocketFrame.Continuation, mixed.AsSpan(half)),
            ]);

        // A frame may end inside a code point.
        yield return Echo("6.2.3", Utf8Text, WebSocketFrame.Text, mixed, WebSocketFrame.Message(WebSocketFrame.Text, mixed, 1));
        yield return Echo("6.2.4", Utf8Text, WebSocketFrame.Text, s_greek, WebSocketFrame.Message(WebSocketFrame.Text, s_greek, 1));
    }

    private static IEnumerable<WebSocketCase> BrokenTexts()
    {
        byte[] surrogate = [.. s_greek, .. Encode(0xd800, 3), .. "edited"u8];
        yield return BreaksText("6.3.1", WebSocketFrame.Make(WebSocketFrame.Text, surrogate));
        yield return BreaksText("6.3.2", WebSocketFrame.Message(WebSocketFrame.Text, surrogate, 1));

        // The text is broken in its second part, at the fourth octet of it or already at the second: the server may notice before the third.
        byte[] text = [.. s_greek, .. s_beyond, .. "edited"u8];
        (int Number, int FirstEnd, int SecondEnd)[] cuts = [(1, s_greek.Length, s_greek.Length + 4), (2, s_greek.Length + 1, s_greek.Length + 2)];
        foreach ((int number, int firstEnd, int secondEnd) in cuts)
        {
            byte[] frame = WebSocketFrame.Make(WebSocketFrame.Text, text);
            int head = frame.Length - text.Length;
            yield return new WebSocketCase(
                $"6.4.{number}", Utf8Text, WebSocketEnding.BrokenText,
                () => InThree(
                    WebSocketFrame.Make(WebSocketFrame.Text, text.AsSpan(0, firstEnd), isFinal: false),
                    WebSocketFrame.Make(WebSocketFrame.Continuation, text.AsSpan(firstEnd..secondEnd), isFinal: false),
                    WebSocketFrame.Make(WebSocketFrame.Continuation, text.AsSpan(secondEnd))));
            yield return new WebSocketCase(
                $"6.4.{number + 2}", Utf8Text, WebSocketEnding.BrokenText,
                () => InThree(frame[..(head + firstEnd)], frame[(head + firstEnd)..(head + secondEnd)], frame[(head + secondEnd)..]));
        }
    }

    private static IEnumerable<WebSocketTurn> InThree(byte[] first, byte[] second, byte[] third)
        => [WebSocketTurn.Of(first), WebSocketTurn.Of(second) with { ShouldEnd = true }, WebSocketTurn.Of(third)];

    private static IEnumerable<WebSocketCase> TextsInSections()
    {
        int section = 5;
        foreach (byte[][] texts in TextSections())
        {
            for (int index = 0; index < texts.Length; index++)
            {
                byte[] text = texts[index];
                string id = $"6.{section}.{index + 1}";
                byte[] frame = WebSocketFrame.Make(WebSocketFrame.Text, text);
                yield return Utf8.IsValid(text) ? Echo(id, Utf8Form, WebSocketFrame.Text, text, frame) : BreaksText(id, frame);
            }

            section++;
        }
    }

    private static IEnumerable<byte[][]> TextSections()
    {
        IEnumerable<int> long2To6 = Enumerable.Range(2, MaxSequenceBytes - 1);
        int[] surrogates = [0xd800, 0xdb7f, 0xdb80, 0xdbff, 0xdc00, 0xdf80, 0xdfff];
        byte[][] cut =
        [
            .. long2To6.Select(static length => Encode(0, length)[..^1]), .. long2To6.Select(static length => Encode(Last(length), length)[..^1]),
        ];

        yield return [Within("$"), Within("¢"), Within("€"), Within("\U00024B62"), s_greek];
        yield return [.. Enumerable.Range(1, s_greek.Length).Select(static length => s_greek[..length])];

        // The first and the last of each length; those of five and six octets, and those beyond U+10FFFF, are none.
        yield return [Encode(0, 1), Encode(0x80, 2), Encode(0x800, 3), Encode(0x10000, 4)];
        yield return [Encode(0x200000, 5), Encode(0x4000000, 6)];
        yield return [Encode(Last(1), 1), Encode(Last(2), 2), Encode(Last(3), 3), Encode(LastCodePoint, 4)];
        yield return [Encode(Last(4), 4), Encode(Last(5), 5), Encode(Last(6), 6)];
        yield return [Encode(0xd7ff, 3), Encode(0xe000, 3), Encode(0xfffd, 3), Encode(LastCodePoint, 4), s_beyond];

        // Continuations of nothing; starts that nothing continues; sequences without their end.
        yield return
        [
            [0x80], [0xbf], .. Enumerable.Range(2, 5).Select(static count => Alternate(count)),
            [.. Enumerable.Range(0x80, 0x40).Select(static octet => (byte)octet)],
        ];
        yield return [Lonely(0xc0, 0xdf), Lonely(0xe0, 0xef), Lonely(0xf0, 0xf7), Lonely(0xf8, 0xfb), Lonely(0xfc, 0xfd)];
        yield return cut;
        yield return [[.. cut.SelectMany(static sequence => sequence)]];
        yield return [[0xfe], [0xff], [0xfe, 0xfe, 0xff, 0xff]];

        // In more octets than needed.
        yield return [.. long2To6.Select(static length => Encode('/', length))];
        yield return [.. long2To6.Select(static length => Encode(Last(length - 1), length))];
        yield return [.. long2To6.Select(static length => Encode(0, length))];
        yield return [.. surrogates.Select(static code => Encode(code, 3))];
        yield return [.. s_high.SelectMany(static high => s_low.Select(low => (byte[])[.. Encode(high, 3), .. Encode(low, 3)]))];

        // No characters, and yet code points.
        yield return
        [
            Encode(0xfffe, 3), Encode(0xffff, 3),
            .. Enumerable.Range(1, 16).SelectMany(static plane => new[] { Encode((plane << 16) | 0xfffe, 4), Encode((plane << 16) | 0xffff, 4) }),
        ];
        yield return [.. Enumerable.Range(0xfff9, 7).Select(static code => Encode(code, 3))];

        static byte[] Within(string text) => Encoding.UTF8.GetBytes($"before{text}after");
        static byte[] Alternate(int count) => [.. Enumerable.Range(0, count).Select(static index => (byte)(index % 2 == 0 ? 0x80 : 0xbf))];
        static byte[] Lonely(int first, int last)
            => [.. Enumerable.Range(first, last - first + 1).SelectMany(static octet => new[] { (byte)octet, (byte)' ' })];
    }

    /// <summary>The greatest number that so many octets hold.</summary>
    private static int Last(int lengthBytes) => lengthBytes == 1 ? 0x7f : (int)((1L << ((lengthBytes * 5) + 1)) - 1);

    /// <summary>A number in so many octets as UTF-8 once did it, whether or not the number may be there. Source: RFC 2279, section 2.</summary>
    private static byte[] Encode(int value, int lengthBytes)
    {
        if (lengthBytes == 1)
        {
            return [(byte)value];
        }

        byte[] sequence = new byte[lengthBytes];
        for (int at = lengthBytes - 1; at > 0; at--)
        {
            sequence[at] = (byte)(0x80 | (value & 0x3f));
            value >>= 6;
        }

        sequence[0] = (byte)((0xff00 >> lengthBytes) | value);
        return sequence;
    }

    private static WebSocketCase BreaksText(string id, byte[] bytes)
        => new(id, Utf8Text, WebSocketEnding.BrokenText, () => [WebSocketTurn.Of(bytes)]);
}
