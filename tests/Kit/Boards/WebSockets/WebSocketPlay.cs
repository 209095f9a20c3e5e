using System.Net.Sockets;

namespace Ioxide.TestKit;

/// <summary>Plays one case to one server over a connection of its own.</summary>
internal sealed class WebSocketPlay : IAsyncDisposable
{
    // A server that should end now and may end later is waited for so long.
    private static readonly TimeSpan s_patience = TimeSpan.FromMilliseconds(900);

    // Protocol, kind of data, data, policy, size, and the server's own. Source: RFC 6455, section 7.4.1.
    private static readonly int[] s_failureCodes = [1002, 1003, 1007, 1008, 1009, 1011];

    private readonly WebSocketCase _case;
    private readonly WebSocketLink _link;
    private readonly WebSocketReader _reader;
    private readonly MessageDeflater? _deflater;
    private readonly TimeSpan _limit;
    private readonly List<WebSocketEvent> _seen = [];

    // A read that outlasted its limit.
    private Task<WebSocketEvent>? _reading;
    private Task _sending = Task.CompletedTask;
    private bool _isLate;

    private WebSocketPlay(WebSocketCase @case, WebSocketLink link, DeflateAgreement? agreement, TimeSpan limit)
    {
        (_case, _link, _limit) = (@case, link, limit);
        _reader = new WebSocketReader(link.Stream, agreement);
        _deflater = agreement is null ? null : new MessageDeflater(agreement);
    }

    /// <param name="connect">Opens a WebSocket that asks for these extensions; null for none.</param>
    /// <param name="limit">Bounds each wait for what must come.</param>
    internal static async Task<Verdict> RunAsync(WebSocketCase @case, Func<string?, Task<WebSocketLink>> connect, TimeSpan limit)
    {
        WebSocketLink link;
        try
        {
            string? offers = @case.Offers.Count > 0 ? string.Join(", ", @case.Offers) : null;
            link = await connect(offers).Within(limit, "the WebSocket is open").ConfigureAwait(false);
        }
        catch (Exception exception)
            when (exception is IOException or SocketException or InvalidDataException or HttpRequestException or TimeoutException)
        {
            return Verdict.Fail($"no WebSocket: {exception.Message}");
        }

        await using (link.ConfigureAwait(false))
        {
            DeflateAgreement? agreement = null;
            if (link.Extensions is { } extensions)
            {
                try
                {
                    agreement = DeflateAgreement.Read(@case.Offers, extensions);
                }
                catch (InvalidDataException exception)
                {
                    return Verdict.Fail(exception.Message);
                }
            }
            else if (@case.Offers.Count > 0)
            {
                return Verdict.Warn("no compression");
            }

            WebSocketPlay play = new(@case, link, agreement, limit);
            await using (play.ConfigureAwait(false))
            {
                return await play.RunAsync().ConfigureAwait(false);
            }
        }
    }

    public async ValueTask DisposeAsync()
    {
        Waits.Observe(_sending);
        await _link.Stream.DisposeAsync().ConfigureAwait(false);
        if (_reading is { } reading)
        {
            _ = await reading.ConfigureAwait(false);
        }

        _deflater?.Dispose();
    }

    private async Task<Verdict> RunAsync()
    {
        bool isWhole = await TakeTurnsAsync().ConfigureAwait(false);
        if (!isWhole)
        {
            return await JudgeAsync(_seen[^1], isWhole: false).ConfigureAwait(false);
        }

        if (!_case.Ending.IsFailure && !_case.Ending.IsCloseSent)
        {
            await SendAsync(WebSocketFrame.MakeClose(WebSocketEnding.Normal), 0).ConfigureAwait(false);
        }

        WebSocketEvent last = _seen.Count > 0 && IsOver(_seen[^1]) ? _seen[^1] : await NextAsync(_limit).ConfigureAwait(false);
        return await JudgeAsync(last, isWhole: true).ConfigureAwait(false);
    }

    /// <summary>Sends each turn. False where another event than the expected one came, which is the last one seen.</summary>
    private async Task<bool> TakeTurnsAsync()
    {
        foreach (WebSocketTurn turn in _case.Turns())
        {
            _sending = SendAsync(turn.Make(_deflater), turn.ChopBytes);
            foreach (WebSocketEvent expected in turn.Expected)
            {
                if (!(await NextAsync(_limit).ConfigureAwait(false)).IsSame(expected))
                {
                    return false;
                }
            }

            // A server that has failed the connection need not take the rest.
            if (await _sending.ErrorWithin(_limit, "the turn is sent").ConfigureAwait(false) is not null)
            {
                return true;
            }

            if (turn.ShouldEnd)
            {
                WebSocketEvent next = await NextAsync(s_patience).ConfigureAwait(false);
                if (next.Kind != WebSocketEventKind.Silence)
                {
                    return IsOver(next);
                }

                _isLate = true;
                _seen.RemoveAt(_seen.Count - 1);
            }
        }

        return true;
    }

    private async Task<Verdict> JudgeAsync(WebSocketEvent last, bool isWhole)
    {
        WebSocketEnding ending = _case.Ending;
        if (last.Kind == WebSocketEventKind.Close)
        {
            // Whoever gets a close frame sends one. Source: RFC 6455, section 5.5.1.
            await SendAsync(WebSocketFrame.MakeClose(WebSocketEnding.Normal), 0).ConfigureAwait(false);
            WebSocketEvent end = await NextAsync(_limit).ConfigureAwait(false);
            if (!end.IsEnd)
            {
                return Verdict.Fail($"{Seen()} after the close frame");
            }

            bool isExpected = ending.Codes.Contains(last.CloseCode);
            if (ending.IsFailure)
            {
                return !s_failureCodes.Contains(last.CloseCode) ? Verdict.Fail($"{Seen()}, no code of a failure")
                    : isExpected && isWhole && !_isLate ? Verdict.Pass(Seen())
                    : Verdict.Warn(Seen() + (_isLate ? ", late" : isWhole ? ", another code" : ", an answer is missing"));
            }

            return !isExpected ? Verdict.Fail($"{Seen()}, another code")
                : isWhole ? Verdict.Pass(Seen())
                : ending.MayMiss ? Verdict.Warn($"{Seen()}, an answer is missing")
                : Verdict.Fail($"{Seen()}, an answer is missing");
        }

        // To fail a connection is to close it; a close frame before that should be. Source: RFC 6455, section 7.1.7.
        return last.IsEnd && ending.IsFailure ? Verdict.Warn($"{Seen()} without a close frame") : Verdict.Fail(Seen());
    }

    private async Task<WebSocketEvent> NextAsync(TimeSpan limit)
    {
        _reading ??= _reader.ReadAsync();
        WebSocketEvent next;
        try
        {
            next = await _reading.Within(limit, "the server answers").ConfigureAwait(false);
            _reading = null;
        }
        catch (TimeoutException)
        {
            next = WebSocketEvent.Of(WebSocketEventKind.Silence);
        }

        _seen.Add(next);
        return next;
    }

    private async Task SendAsync(byte[] bytes, int chopBytes)
    {
        int step = chopBytes == 0 ? Math.Max(1, bytes.Length) : chopBytes;
        try
        {
            for (int at = 0; at < bytes.Length; at += step)
            {
                await _link.Stream.WriteAsync(bytes.AsMemory(at, Math.Min(step, bytes.Length - at))).ConfigureAwait(false);
                await _link.Stream.FlushAsync().ConfigureAwait(false);
            }
        }
        catch (Exception exception) when (exception is IOException or ObjectDisposedException)
        {
            // The server has closed; what it said before is read.
        }
    }

    private static bool IsOver(WebSocketEvent seen) => seen.Kind is WebSocketEventKind.Close or WebSocketEventKind.Broken || seen.IsEnd;

    /// <summary>What came, in a few words: "3 × text, close 1000, FIN".</summary>
    private string Seen()
    {
        List<(string Text, int Count)> groups = [];
        foreach (WebSocketEvent seen in _seen)
        {
            string text = seen.ToString();
            if (groups.Count > 0 && groups[^1].Text == text)
            {
                groups[^1] = (text, groups[^1].Count + 1);
            }
            else
            {
                groups.Add((text, 1));
            }
        }

        return string.Join(", ", groups.Select(static group => group.Count == 1 ? group.Text : $"{group.Count} × {group.Text}"));
    }
}
