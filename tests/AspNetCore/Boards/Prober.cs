using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Ioxide.AspNetCore.Tests;

/// <summary>Plays cases to one server, each on a connection of its own.</summary>
/// <param name="endPoint">The server.</param>
/// <param name="patience">How long an answer that must come is waited for.</param>
/// <param name="shortPatience">How long one that need not come is waited for, and how long what comes unasked.</param>
internal sealed class Prober(EndPoint endPoint, TimeSpan patience, TimeSpan shortPatience)
{
    /// <summary>Plays a case and says what the answers are worth.</summary>
    internal async Task<Verdict> PlayAsync(ProbeCase played)
    {
        List<StepAnswer> answers = [];
        using Socket socket = await RawSocket.ConnectAsync(endPoint);
        List<byte> rest = [];
        foreach (string step in played.Steps)
        {
            if (answers.Count > 0 && answers[^1].End != StepEnd.Open)
            {
                answers.Add(StepAnswer.None);
                continue;
            }

            string filled = answers is [{ Final: { } first }, ..] ? ProbeText.Fill(step, first) : step;
            await TrySendAsync(socket, Encoding.Latin1.GetBytes(filled));
            bool isHead = step.StartsWith("HEAD ", StringComparison.Ordinal);
            bool isLast = answers.Count == played.Steps.Length - 1;
            answers.Add(await ReadAsync(socket, rest, isHead, isLast, played.Judge.AllowsSilence ? shortPatience : patience));
        }

        string seen = string.Join(" | ", answers);
        return new(answers.Any(static answer => answer.End == StepEnd.Garbage) ? Score.Fail : played.Judge.Of(answers), seen);
    }

    private static async Task TrySendAsync(Socket socket, byte[] bytes)
    {
        try
        {
            await socket.SendAllAsync(bytes);
        }
        catch (SocketException)
        {
            // It has heard enough; its answer may be there.
        }
    }

    /// <summary>Reads the answer to a step, and what comes behind it where the step is the last or the answer closes.</summary>
    private async Task<StepAnswer> ReadAsync(Socket socket, List<byte> rest, bool isHead, bool isLast, TimeSpan limit)
    {
        List<RawResponse> responses = [];
        while (true)
        {
            if (!TakeResponses(rest, isHead, hasEnded: false, responses))
            {
                return new(responses, NoResponse(rest));
            }

            RawResponse? final = responses.FirstOrDefault(StepAnswer.IsFinal);
            bool closes = final is not null && Closes(final);
            if (final is not null && !closes && !isLast)
            {
                return new(responses, StepEnd.Open);
            }

            switch (await TryFillAsync(socket, rest, final is null || closes ? limit : shortPatience))
            {
                case null:
                    return new(responses, final is null ? StepEnd.Silent : StepEnd.Open);
                case false:
                    return new(responses, TakeResponses(rest, isHead, hasEnded: true, responses) ? StepEnd.Closed : NoResponse(rest));
                default:
                    continue;
            }
        }
    }

    /// <summary>Takes each response that is whole; false where what is there is none.</summary>
    private static bool TakeResponses(List<byte> rest, bool isHead, bool hasEnded, List<RawResponse> responses)
    {
        try
        {
            while (rest.Count > 0)
            {
                byte[] bytes = [.. rest];
                bool isFirstFinal = !responses.Any(StepAnswer.IsFinal);
                RawResponse? response = RawResponse.TryRead(bytes, isHead && isFirstFinal, hasEnded, out int lengthBytes);
                if (response is null && hasEnded && RawHead.TryRead(bytes, out int headBytes) is { } head)
                {
                    // The answer to a hidden HEAD has no body, which only its sender knows.
                    (response, lengthBytes) = (new(head, [], []), headBytes);
                }

                if (response is null)
                {
                    return true;
                }

                responses.Add(response);
                rest.RemoveRange(0, lengthBytes);
            }

            return true;
        }
        catch (InvalidDataException)
        {
            return false;
        }
    }

    /// <summary>Tells SETTINGS and GOAWAY of HTTP/2, which stand on stream 0, from other bytes.</summary>
    private static StepEnd NoResponse(List<byte> bytes)
        => bytes is [0, 0, _, 4 or 7, _, 0, 0, 0, 0, ..] ? StepEnd.Http2 : StepEnd.Garbage;

    private static bool Closes(RawResponse response)
        => response.Headers.GetValueOrDefault("Connection", "").Contains("close", StringComparison.OrdinalIgnoreCase);

    /// <summary>True where bytes came, false where the connection ended, null where nothing came in time.</summary>
    private static async Task<bool?> TryFillAsync(Socket socket, List<byte> rest, TimeSpan limit)
    {
        byte[] buffer = new byte[16 * 1024];
        using CancellationTokenSource timeout = new(limit);
        try
        {
            int count = await socket.ReceiveAsync(buffer, timeout.Token);
            rest.AddRange(buffer.AsSpan(0, count));
            return count > 0;
        }
        catch (OperationCanceledException)
        {
            return null;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
