using System.Text;

namespace Ioxide.TestKit;

/// <content>Section 7: closing. Source: RFC 6455, sections 5.5.1 and 7.</content>
internal static partial class WebSocketCatalog
{
    private const string Closing = "RFC 6455, 5.5.1";
    private const string Codes = "RFC 6455, 7.4";
    private const int MaxReasonBytes = 123;

    private static readonly int[] s_goodCodes = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999];
    private static readonly int[] s_badCodes = [0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999];

    private static IEnumerable<WebSocketCase> Closes()
    {
        byte[] close = WebSocketFrame.MakeClose(WebSocketEnding.Normal);
        byte[] text = WebSocketFrame.Make(WebSocketFrame.Text, s_word);
        byte[] first = WebSocketFrame.Make(WebSocketFrame.Text, "one, "u8, isFinal: false);
        byte[] last = WebSocketFrame.Make(WebSocketFrame.Continuation, "two"u8);
        byte[] large = Payload(WebSocketFrame.Text, 256 * 1024);

        // What follows a close frame is not looked at. Source: RFC 6455, sections 1.4 and 5.5.1.
        yield return Closed("7.1.1", [.. text, .. close], Text(s_word));
        yield return Closed("7.1.2", [.. close, .. WebSocketFrame.Make(WebSocketFrame.Close, [])]);
        yield return Closed("7.1.3", [.. close, .. WebSocketFrame.Make(WebSocketFrame.Ping, [])]);
        yield return Closed("7.1.4", [.. close, .. text]);
        yield return Closed("7.1.5", [.. first, .. close, .. last]);
        yield return new WebSocketCase(
            "7.1.6", Closing, WebSocketEnding.Answered(WebSocketEnding.Normal) with { MayMiss = true },
            () =>
            [
                WebSocketTurn.Of(
                    [.. WebSocketFrame.Make(WebSocketFrame.Text, large), .. text, .. close, .. WebSocketFrame.Make(WebSocketFrame.Ping, [])],
                    Text(large), Text(s_word)),
            ]);

        yield return Closed("7.3.1", WebSocketFrame.Make(WebSocketFrame.Close, [])) with
        {
            Ending = WebSocketEnding.Answered(WebSocketEnding.Normal, 1005),
        };
        yield return Fails("7.3.2", Closing, WebSocketFrame.Make(WebSocketFrame.Close, "a"u8));
        yield return Closed("7.3.3", close);
        yield return Closed("7.3.4", WebSocketFrame.MakeClose(WebSocketEnding.Normal, s_word));
        yield return Closed("7.3.5", WebSocketFrame.MakeClose(WebSocketEnding.Normal, Payload(WebSocketFrame.Text, MaxReasonBytes)));
        yield return Fails("7.3.6", Control, WebSocketFrame.MakeClose(WebSocketEnding.Normal, Payload(WebSocketFrame.Text, MaxReasonBytes + 1)));
        yield return Fails("7.5.1", Utf8Text, WebSocketFrame.MakeClose(WebSocketEnding.Normal, [.. s_greek, .. Encode(0xd800, 3)])) with
        {
            Ending = new WebSocketEnding(true, WebSocketEnding.InvalidData, WebSocketEnding.ProtocolError),
        };

        for (int index = 0; index < s_goodCodes.Length; index++)
        {
            yield return Closed($"7.7.{index + 1}", WebSocketFrame.MakeClose(s_goodCodes[index])) with
            {
                Source = Codes,
                Ending = WebSocketEnding.Answered(WebSocketEnding.Normal, s_goodCodes[index]),
            };
        }

        for (int index = 0; index < s_badCodes.Length; index++)
        {
            yield return Fails($"7.9.{index + 1}", Codes, WebSocketFrame.MakeClose(s_badCodes[index]));
        }

        // No line says what a code above 4999 means: each end is right.
        foreach ((int number, int code) in new[] { (1, 5000), (2, 65_535) })
        {
            yield return Closed($"7.13.{number}", WebSocketFrame.MakeClose(code, Encoding.ASCII.GetBytes("beyond"))) with
            {
                Source = Codes,
                Ending = WebSocketEnding.Answered(WebSocketEnding.Normal, WebSocketEnding.ProtocolError, code),
            };
        }
    }

    private static WebSocketCase Closed(string id, byte[] bytes, params WebSocketEvent[] expected)
        => new(id, Closing, WebSocketEnding.Answered(WebSocketEnding.Normal), () => [WebSocketTurn.Of(bytes, expected)]);
}
