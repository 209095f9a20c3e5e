using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Ioxide.AspNetCore.Tests;

/// <summary>The application's side of a run: reads as its script says, and notes what it sees, in order.</summary>
internal sealed class EventHandler(EventScript script)
{
    private readonly TaskCompletionSource<SeenEvents> _seen = Waits.Signal<SeenEvents>();
    private long _bytes;
    private int _wrongCancels;

    /// <summary>Completes where the handler is about to read.</summary>
    internal TaskCompletionSource Begun { get; } = Waits.Signal();

    internal Task<SeenEvents> Seen => _seen.Task;

    internal async Task ServeAsync(HttpContext context)
    {
        if (script.As == ServedAs.Upgraded)
        {
            await using Stream stream = await context.Features.GetRequiredFeature<IHttpUpgradeFeature>().UpgradeAsync();
            await ReadAsync(stream, PipeReader.Create(stream), context.RequestAborted);
        }
        else
        {
            await ReadAsync(context.Request.Body, context.Request.BodyReader, context.RequestAborted);
        }
    }

    /// <summary>Answers behind the client's end: half of the connection is still open.</summary>
    internal async Task ServeAsync(ConnectionContext connection)
    {
        await ReadAsync(connection.Transport.Input.AsStream(), connection.Transport.Input, connection.ConnectionClosed);
        await connection.Transport.Output.WriteAsync(EventScript.Answer);
    }

    private async Task ReadAsync(Stream stream, PipeReader pipe, CancellationToken token)
    {
        string end;
        Begun.SetResult();
        try
        {
            await (script.Reads is Reads.EmptyFirst or Reads.Buffer ? ReadStreamAsync(stream, token) : ReadPipeAsync(pipe, token));
            end = "end";
        }
        catch (OperationCanceledException)
        {
            end = "cancelled";
        }
        catch (BadHttpRequestException exception)
        {
            end = $"{exception.StatusCode}";
        }
        catch (ConnectionResetException)
        {
            end = "reset";
        }
        catch (Exception exception)
        {
            end = $"{exception.GetType().Name}: {exception.Message}";
        }

        // The token is never missing where the client has left.
        bool isTold = script.End == PeerEnd.Silence || token.IsCancellationRequested;
        if (!isTold)
        {
            TaskCompletionSource told = Waits.Signal();
            using CancellationTokenRegistration registration = token.UnsafeRegister(
                static told => ((TaskCompletionSource)told!).TrySetResult(), told);
            isTold = await Task.WhenAny(told.Task, Task.Delay(20.Seconds(), CancellationToken.None)) == told.Task;
        }

        _seen.SetResult(new SeenEvents(Volatile.Read(ref _bytes), end, isTold, _wrongCancels));
    }

    private async Task ReadStreamAsync(Stream stream, CancellationToken token)
    {
        byte[] buffer = new byte[4096];
        while (true)
        {
            if (script.Reads == Reads.EmptyFirst)
            {
                _ = await stream.ReadAsync(Memory<byte>.Empty, token);
            }

            int count = await stream.ReadAsync(buffer, token);
            if (count == 0)
            {
                return;
            }

            Take(buffer.AsSpan(0, count));
            await PauseAsync();
        }
    }

    private async Task ReadPipeAsync(PipeReader pipe, CancellationToken token)
    {
        while (true)
        {
            if (script.Reads == Reads.CancelFirst)
            {
                pipe.CancelPendingRead();
                ReadResult cancelled = await pipe.ReadAsync(token);
                _wrongCancels += cancelled.IsCanceled ? 0 : 1;
                pipe.AdvanceTo(cancelled.Buffer.Start);
            }

            ReadResult read = await pipe.ReadAsync(token);
            _wrongCancels += read.IsCanceled ? 1 : 0;
            if (script.Reads == Reads.Peek && !read.IsCompleted)
            {
                Volatile.Write(ref _bytes, read.Buffer.Length);
                pipe.AdvanceTo(read.Buffer.Start, read.Buffer.End);
            }
            else
            {
                _bytes = script.Reads == Reads.Peek ? 0 : _bytes;
                foreach (ReadOnlyMemory<byte> piece in read.Buffer)
                {
                    Take(piece.Span);
                }

                pipe.AdvanceTo(read.Buffer.End);
            }

            if (read.IsCompleted)
            {
                return;
            }

            await PauseAsync();
        }
    }

    private void Take(ReadOnlySpan<byte> bytes)
    {
        foreach (byte value in bytes)
        {
            if (value != (byte)_bytes)
            {
                throw new InvalidOperationException($"Byte {_bytes} is {value}.");
            }

            _bytes++;
        }
    }

    private async ValueTask PauseAsync()
    {
        switch (script.Gap)
        {
            case Gap.Yield:
                await Task.Yield();
                break;
            case Gap.Spin:
                long started = Stopwatch.GetTimestamp();
                while (Stopwatch.GetElapsedTime(started).TotalMilliseconds < 0.2)
                {
                }

                break;
            default:
                break;
        }
    }
}

/// <summary>What a handler saw.</summary>
/// <param name="Bytes">How many bytes, in order and each once.</param>
/// <param name="End">How its reads ended.</param>
/// <param name="IsTold">Its token was cancelled.</param>
/// <param name="WrongCancels">Reads that were cancelled in place of others, and those others.</param>
internal sealed record SeenEvents(long Bytes, string End, bool IsTold, int WrongCancels);
