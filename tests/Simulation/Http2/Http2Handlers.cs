using System.Globalization;
using System.Buffers;
using System.IO.Pipelines;
using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Net.Http.Headers;

namespace Ioxide.Simulation;

/// <summary>The application: it treats each request as the request's seed has it, and checks what it reads.</summary>
internal sealed class Http2Handlers(Http2World world) : IHttpApplication<IFeatureCollection>
{
    private const int MostPieces = 6;
    private const int ReadBytes = 3000;

    /// <summary>Contexts that were made and not disposed.</summary>
    internal int Running { get; private set; }

    /// <summary>Memory that was handed out by reference and has not come back.</summary>
    internal int OwnersAlive { get; private set; }

    public IFeatureCollection CreateContext(IFeatureCollection contextFeatures)
    {
        Running++;
        return contextFeatures;
    }

    public void DisposeContext(IFeatureCollection context, Exception? exception) => Running--;

    public async Task ProcessRequestAsync(IFeatureCollection context)
    {
        IHttpRequestFeature request = context.GetRequiredFeature<IHttpRequestFeature>();
        Http2Peer peer = world.PeerAt(context.GetRequiredFeature<IHttpConnectionFeature>().RemotePort);
        Exchange exchange = peer.Exchanges[int.Parse(request.Path.AsSpan(1), CultureInfo.InvariantCulture)];
        if (exchange.Runs++ > 0)
        {
            world.Violated($"{exchange} runs twice");
        }

        world.CheckApplication();
        try
        {
            await ServeAsync(context, request, exchange);
            exchange.Stage = "over";
        }
        catch (Exception exception) when (exception is IOException or OperationCanceledException)
        {
            exchange.Stage = "broken";
            if (!MayBreak(peer, exchange))
            {
                world.Violated($"{exchange}: {exception}");
            }

            throw new PlannedException();
        }
    }

    private async Task ServeAsync(IFeatureCollection context, IHttpRequestFeature request, Exchange exchange)
    {
        // The engine's own date is the machine's, and the length of its code varies.
        context.GetRequiredFeature<IHttpResponseFeature>().Headers[HeaderNames.Date] = "now";
        if (exchange.Is(Handling.Watches))
        {
            await WatchAsync(context, exchange);
        }

        await PauseAsync(exchange);
        if (exchange.AnswerEnd == AnswerEnd.Throws)
        {
            world.Mark("handler: throws");
            throw new PlannedException();
        }

        if (!exchange.Is(Handling.AnswersFirst))
        {
            await ReadAsync(context, request, exchange);
        }

        await AnswerAsync(context, exchange);
        if (exchange.Is(Handling.AnswersFirst))
        {
            await ReadAsync(context, request, exchange);
        }
    }

    private bool MayBreak(Http2Peer peer, Exchange exchange)
        => exchange.HasReset || peer.HasLeft || world.IsCutShort || exchange.AnswerEnd is AnswerEnd.Resets or AnswerEnd.ThrowsLate;

    /// <summary>The token fires where the request breaks, and only there.</summary>
    private async ValueTask WatchAsync(IFeatureCollection context, Exchange exchange)
    {
        Http2Peer peer = world.PeerAt(context.GetRequiredFeature<IHttpConnectionFeature>().RemotePort);
        var aborted = new TaskCompletionSource();
        _ = context.GetRequiredFeature<IHttpRequestLifetimeFeature>().RequestAborted.Register(() =>
        {
            world.CheckApplication();
            if (!MayBreak(peer, exchange))
            {
                world.Violated($"{exchange} is aborted, and did not break");
            }

            aborted.SetResult();
        });
        if (exchange.WaitsForReset)
        {
            exchange.Stage = "waiting for the reset";
            await aborted.Task;
            world.Mark("handler: waits for the reset");
            throw new OperationCanceledException();
        }
    }

    private async ValueTask PauseAsync(Exchange exchange)
    {
        exchange.Stage = "pausing";
        if (exchange.Is(Handling.Late) && world.Chance(500))
        {
            await new Later(world, world.Between(0, 3) * 1_000_000L, keepsContext: true);
        }

        if (exchange.Is(Handling.Elsewhere) && world.Chance(500))
        {
            world.Mark("handler: on another thread");
            await new Later(world, 0, keepsContext: false);
        }

        if (exchange.Is(Handling.Blocks) && world.Chance(300))
        {
            world.Block(world.Between(0, 3));
        }

        world.CheckApplication();
        exchange.Stage = "running";
    }

    private async ValueTask ReadAsync(IFeatureCollection context, IHttpRequestFeature request, Exchange exchange)
    {
        int most = exchange.Is(Handling.LeavesBody) ? world.Between(0, exchange.BodyBytes) : int.MaxValue;
        int read = 0;
        byte[] buffer = new byte[ReadBytes];
        PipeReader reader = context.GetRequiredFeature<IRequestBodyPipeFeature>().Reader;
        while (read < most)
        {
            exchange.Stage = $"reading at {read}";
            bool isEnd;
            if (exchange.Is(Handling.ReadsStream))
            {
                ValueTask<int> pending = request.Body.ReadAsync(buffer.AsMemory(0, world.Between(1, buffer.Length)));
                if (exchange.Is(Handling.Blocks))
                {
                    world.BlockUntil(() => pending.IsCompleted);
                }

                int count = await pending;
                Check(exchange, buffer.AsSpan(0, count), read);
                read += count;
                isEnd = count == 0;
            }
            else
            {
                ValueTask<ReadResult> pending = reader.ReadAsync();
                if (exchange.Is(Handling.Blocks))
                {
                    world.BlockUntil(() => pending.IsCompleted);
                }

                ReadResult result = await pending;
                int offset = read;
                foreach (ReadOnlyMemory<byte> segment in result.Buffer)
                {
                    Check(exchange, segment.Span, offset);
                    offset += segment.Length;
                }

                long take = result.IsCompleted || world.Chance(700) ? result.Buffer.Length : world.Between(0, (int)result.Buffer.Length);
                read += (int)take;
                isEnd = result.IsCompleted;
                reader.AdvanceTo(result.Buffer.GetPosition(take), result.Buffer.End);
            }

            await PauseAsync(exchange);
            if (isEnd)
            {
                CheckEnd(context, exchange, read);
                return;
            }
        }

        if (exchange.Is(Handling.LeavesRead))
        {
            world.Mark("handler: leaves a read");
            if (exchange.Is(Handling.ReadsStream))
            {
                Leave(request.Body.ReadAsync(new byte[ReadBytes]));
            }
            else
            {
                Leave(reader.ReadAsync());
            }
        }
    }

    private static void Leave<T>(ValueTask<T> read) => _ = read.IsCompleted;

    private void Check(Exchange exchange, ReadOnlySpan<byte> bytes, int offset)
    {
        int foreign = Pattern.FindForeign(bytes, exchange.Key, offset);
        if (foreign >= 0)
        {
            world.Violated($"byte {offset + foreign} of the body of {exchange} was read as {bytes[foreign]:x2}, which does not belong there");
        }
    }

    private void CheckEnd(IFeatureCollection context, Exchange exchange, int read)
    {
        if (read != exchange.BodyBytes)
        {
            world.Violated($"the body of {exchange} ended after {read} bytes");
        }

        string sum = context.GetRequiredFeature<IHttpRequestTrailersFeature>().Trailers["x-sum"].ToString();
        if (sum != (exchange.HasTrailers ? exchange.Sum : ""))
        {
            world.Violated($"{exchange}: the trailers of its body say '{sum}'");
        }
    }

    private async ValueTask AnswerAsync(IFeatureCollection context, Exchange exchange)
    {
        IHttpResponseBodyFeature body = context.GetRequiredFeature<IHttpResponseBodyFeature>();
        int end = exchange.AnswerEnd == AnswerEnd.Whole ? exchange.AnswerBytes : world.Between(0, exchange.AnswerBytes);
        int pieces = exchange.Is(Handling.InPieces) ? world.Between(1, MostPieces) : 1;
        int written = 0;
        for (int piece = 1; piece <= pieces; piece++)
        {
            int count = piece == pieces ? end - written : world.Between(0, end - written);
            Write(context, body.Writer, exchange, written, count);
            written += count;
            if (piece < pieces || exchange.AnswerEnd != AnswerEnd.Whole)
            {
                exchange.Stage = $"flushing {written} of {end}";
                FlushResult flushed = await body.Writer.FlushAsync();
                await PauseAsync(exchange);
                if (flushed.IsCompleted)
                {
                    throw new OperationCanceledException();
                }
            }
        }

        if (exchange.AnswerEnd == AnswerEnd.Resets)
        {
            world.Mark("handler: resets");
            context.GetRequiredFeature<IHttpResetFeature>().Reset(Exchange.ResetCode);
        }
        else if (exchange.AnswerEnd == AnswerEnd.ThrowsLate)
        {
            world.Mark("handler: throws in the middle");
            throw new PlannedException();
        }
        else if (exchange.AnswersTrailers)
        {
            context.GetRequiredFeature<IHttpResponseTrailersFeature>().Trailers["x-sum"] = exchange.Sum;
        }
    }

    private void Write(IFeatureCollection context, PipeWriter writer, Exchange exchange, int offset, int count)
    {
        if (count > 0 && exchange.Is(Handling.ByReference) && world.Chance(500))
        {
            var owner = new Owner(this, count);
            Pattern.Fill(owner.Bytes, exchange.AnswerKey, offset);
            if (!context.GetRequiredFeature<IBodyReferenceFeature>().TryWrite(writer, owner.Bytes, owner))
            {
                world.Violated($"{exchange}: memory was not taken by reference");
            }

            return;
        }

        while (count > 0)
        {
            Span<byte> span = writer.GetSpan(world.Chance(200) ? Math.Min(count, 20_000) : 1);
            int bytes = Math.Min(count, span.Length);
            Pattern.Fill(span[..bytes], exchange.AnswerKey, offset);
            writer.Advance(bytes);
            offset += bytes;
            count -= bytes;
        }
    }

    private void GaveBackTwice() => world.Violated("memory was given back twice");

    private sealed class Owner : IDisposable
    {
        private readonly Http2Handlers _handlers;
        private bool _isDisposed;

        internal Owner(Http2Handlers handlers, int count)
        {
            _handlers = handlers;
            Bytes = new byte[count];
            handlers.OwnersAlive++;
        }

        internal byte[] Bytes { get; }

        public void Dispose()
        {
            if (_isDisposed)
            {
                _handlers.GaveBackTwice();
                return;
            }

            _isDisposed = true;
            _handlers.OwnersAlive--;
            Bytes.AsSpan().Fill(0xEE);
        }
    }
}
