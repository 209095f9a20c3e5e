using System.Buffers;
using System.Globalization;
using System.IO.Pipelines;
using System.Text;
using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Ioxide.Http2.Tests;

/// <summary>The steps of programs, over one request. Each gives what the handler saw of it.</summary>
internal sealed partial class ProgramSteps(HttpContext context, ProgramSession session)
{
    /// <summary>What a try finds elsewhere than on the reactor.</summary>
    internal const string NothingElsewhere = "nothing elsewhere";

    private static readonly TimeSpan s_tokenLimit = 300.Milliseconds();
    private static readonly TimeSpan s_expectedTokenLimit = Waits.Stretched(10.Seconds());
    private static readonly CancellationToken s_canceled = new(canceled: true);

    private int _written;
    private int _read;

    private HttpRequest Request => context.Request;

    private HttpResponse Response => context.Response;

    /// <summary>Its connection's reactor runs something else: the thread pool serves while another program's handler blocks it.</summary>
    private bool IsElsewhere => HttpProtocol.IsHttp11(Request.Protocol) && context.Features.Get<IReactorFeature>() is { Reactor.IsCurrent: false };

    internal static Exception Failure(int kind) => kind switch
    {
        0 => new InvalidOperationException("The program wanted it."),
        1 => new BadHttpRequestException("The program wanted it.", StatusCodes.Status418ImATeapot),
        2 => new OperationCanceledException("The program wanted it."),
        3 => new IOException("The program wanted it."),
        _ => new TaskCanceledException("The program wanted it."),
    };

    internal Task<string> RunAsync(Step step)
    {
        session.IsElsewhere |= IsElsewhere;
        return step.Kind switch
        {
            <= StepKind.ClientResets => ActAsync(step),
            <= StepKind.ReadsAhead => ReadAsync(step),
            <= StepKind.DisableBuffering => WriteAsync(step),
            <= StepKind.RegisterForDispose => Task.FromResult(SetHead(step)),
            _ => DoAsync(step),
        };
    }

    private async Task<string> ActAsync(Step step)
    {
        await session.ActAsync(step);
        return step.Kind == StepKind.ClientResets ? await AbortedAsync(step) : "";
    }

    /// <summary>The token fires on a thread of the server's choice, so a moment later; or never, and that is waited for.</summary>
    private async Task<string> AbortedAsync(Step step)
    {
        const string Aborted = "aborted";
        TaskCompletionSource isAborted = Waits.Signal();
        TimeSpan limit = session.IsExpected($"{step.Name}: {Aborted}") ? s_expectedTokenLimit : s_tokenLimit;
        await using (context.RequestAborted.Register(isAborted.SetResult))
        {
            return await Task.WhenAny(isAborted.Task, Task.Delay(limit)) == isAborted.Task ? Aborted : $"not {Aborted}";
        }
    }

    private async Task<string> ReadAsync(Step step)
    {
        switch (step.Kind)
        {
            case StepKind.PipeRead:
                return Take(await Request.BodyReader.ReadAsync(), step.Number, isPeek: false);
            case StepKind.PipePeek:
                return Take(await Request.BodyReader.ReadAsync(), step.Number, isPeek: true);
            case StepKind.PipeTryRead:
                return Request.BodyReader.TryRead(out ReadResult tried) ? Take(tried, step.Number, isPeek: false)
                    : IsElsewhere ? NothingElsewhere : "nothing";
            case StepKind.PipeReadCanceled:
                return Take(await Request.BodyReader.ReadAsync(s_canceled), 0, isPeek: false);
            case StepKind.PipeCancelRead:
                Request.BodyReader.CancelPendingRead();
                return "";
            case StepKind.PipeComplete:
                await Request.BodyReader.CompleteAsync(step.Number == 1 ? new IOException("The program wanted it.") : null);
                return "";
            case StepKind.StreamRead:
                {
                    byte[] buffer = new byte[step.Number];
                    return Describe(buffer.AsSpan(0, await Request.Body.ReadAsync(buffer)));
                }

            case StepKind.StreamReadOld:
                {
                    byte[] buffer = new byte[step.Number];
                    return Describe(buffer.AsSpan(0, await Task<int>.Factory.FromAsync(Request.Body.BeginRead, Request.Body.EndRead, buffer, 0, step.Number, null)));
                }

            case StepKind.StreamReadZero:
                return Describe(new byte[await Request.Body.ReadAsync(Memory<byte>.Empty)]);
            case StepKind.StreamReadSync:
                {
                    byte[] buffer = new byte[step.Number];
                    return Describe(buffer.AsSpan(0, Request.Body.Read(buffer, 0, buffer.Length)));
                }

            case StepKind.StreamReadCanceled:
                return Describe(new byte[await Request.Body.ReadAsync(new byte[10], s_canceled)]);
            case StepKind.CopyTo:
                {
                    using MemoryStream copy = new();
                    await Request.Body.CopyToAsync(copy);
                    return Describe(copy.ToArray());
                }

            case StepKind.ReadForm:
                return string.Join('&', (await Request.ReadFormAsync()).Select(static pair => $"{pair.Key}={pair.Value}").Order());
            default:
                return await ReadAheadAsync(step);
        }
    }

    /// <summary>A read that begins before its bytes are there; they may come in pieces.</summary>
    private async Task<string> ReadAheadAsync(Step step)
    {
        bool isPipe = step.Text == "pipe";
        Task<byte[]> first = ReadSomeAsync(isPipe);
        await session.ActAsync(new Step(step.Value.Length > 0 ? StepKind.ClientEnds : StepKind.ClientSends, step.Number));
        List<byte> all = [.. await first];
        while (all.Count < step.Number)
        {
            byte[] more = await ReadSomeAsync(isPipe);
            if (more.Length == 0)
            {
                break;
            }

            all.AddRange(more);
        }

        return Describe(all.ToArray());
    }

    private async Task<byte[]> ReadSomeAsync(bool isPipe)
    {
        if (isPipe)
        {
            ReadResult result = await Request.BodyReader.ReadAsync();
            byte[] bytes = result.Buffer.ToArray();
            Request.BodyReader.AdvanceTo(result.Buffer.End);
            return bytes;
        }

        byte[] buffer = new byte[100_000];
        return buffer[..await Request.Body.ReadAsync(buffer)];
    }

    private string Take(in ReadResult result, int consumed, bool isPeek)
    {
        ReadOnlySequence<byte> buffer = result.Buffer;
        ReadOnlySequence<byte> taken = buffer.Slice(0, Math.Min(buffer.Length, consumed));
        string text = $"{Describe(buffer.ToArray(), isSeen: false)} {(result.IsCanceled ? "canceled " : "")}{(result.IsCompleted ? "completed" : "")}";
        _read += (int)taken.Length;
        if (isPeek)
        {
            Request.BodyReader.AdvanceTo(taken.End, buffer.End);
        }
        else
        {
            Request.BodyReader.AdvanceTo(taken.End);
        }

        return text;
    }

    /// <summary>How many bytes, and whether they are the next ones of the pattern.</summary>
    private string Describe(ReadOnlySpan<byte> bytes, bool isSeen = true)
    {
        bool isPattern = session.Program.IsForm || bytes.SequenceEqual(Pattern.Of(bytes.Length, _read));
        _read += isSeen ? bytes.Length : 0;
        return string.Create(CultureInfo.InvariantCulture, $"{bytes.Length}{(isPattern ? "" : " of others")}");
    }

    private async Task<string> WriteAsync(Step step)
    {
        switch (step.Kind)
        {
            case StepKind.PipeWrite:
                return Describe(await Response.BodyWriter.WriteAsync(NextBytes(step.Number)));
            case StepKind.PipeAdvance:
                Response.BodyWriter.Write(NextBytes(step.Number));
                return string.Create(CultureInfo.InvariantCulture, $"{Response.BodyWriter.CanGetUnflushedBytes} {Response.HasStarted}");
            case StepKind.PipeFlush:
                return Describe(await Response.BodyWriter.FlushAsync());
            case StepKind.PipeFlushCanceled:
                return Describe(await Response.BodyWriter.FlushAsync(s_canceled));
            case StepKind.PipeWriteCanceled:
                return Describe(await Response.BodyWriter.WriteAsync(NextBytes(step.Number), s_canceled));
            case StepKind.PipeCancelFlush:
                Response.BodyWriter.CancelPendingFlush();
                return "";
            case StepKind.PipeCompleteWriter:
                if (step.Number == 1)
                {
                    bool hasStarted = Response.HasStarted;
                    Response.BodyWriter.Complete(new IOException("The program wanted it."));
                    return hasStarted ? await AbortedAsync(step) : "";
                }
                else if (step.Number == 2)
                {
                    Response.BodyWriter.Complete();
                }
                else
                {
                    await Response.BodyWriter.CompleteAsync();
                }

                return "";
            case StepKind.StreamWrite:
                await Response.Body.WriteAsync(NextBytes(step.Number));
                return Started;
            case StepKind.StreamWriteSync:
                Response.Body.Write(NextBytes(step.Number), 0, step.Number);
                return Started;
            case StepKind.StreamWriteOld:
                await Task.Factory.FromAsync(Response.Body.BeginWrite, Response.Body.EndWrite, NextBytes(step.Number), 0, step.Number, null);
                return Started;
            case StepKind.StreamWriteCanceled:
                await Response.Body.WriteAsync(NextBytes(step.Number), s_canceled);
                return Started;
            case StepKind.StreamFlush:
                await Response.Body.FlushAsync();
                return Started;
            case StepKind.WriteText:
                await Response.WriteAsync(Encoding.ASCII.GetString(NextBytes(step.Number)));
                return Started;
            case StepKind.SendFile:
                {
                    (long offset, long? count) = step.Number switch { 0 => (0, (long?)null), 1 => (5, 100), 2 => (0, 0), _ => (Pattern.FileLength, 1) };
                    await Response.SendFileAsync(step.Text.Length > 0 ? "/no/such/file" : Pattern.File, offset, count);
                    return Started;
                }

            case StepKind.Start:
                await Response.StartAsync();
                return Started;
            case StepKind.StartCanceled:
                await Response.StartAsync(s_canceled);
                return Started;
            case StepKind.Complete:
                await Response.CompleteAsync();
                return Started;
            default:
                context.Features.GetRequiredFeature<IHttpResponseBodyFeature>().DisableBuffering();
                return "";
        }
    }

    private string Started => Response.HasStarted ? "started" : "";

    private static string Describe(in FlushResult result) => $"{(result.IsCanceled ? "canceled " : "")}{(result.IsCompleted ? "completed" : "")}";

    private byte[] NextBytes(int count)
    {
        byte[] bytes = Pattern.Of(count, _written);
        _written += count;
        return bytes;
    }
}
