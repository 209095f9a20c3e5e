using System.Buffers;
using System.IO.Pipelines;
using System.Text;
using Microsoft.AspNetCore.Connections;

namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// A connection handler without HTTP sees the transport's own pipes: it reads until the FIN, may answer after it,
/// gets an exception on a reset, and ends the connection by completing its output or by an abort.
/// </summary>
public class ConnectionHandlerTests
{
    [Theory, OverTransports(1, 4096, 4097, 1_000_000)]
    public async Task EchoesUntilTheClientsFin(TransportKind transport, EndPointKind endPoint, int lengthBytes)
    {
        await using TestServer server = await StartAsync(transport, endPoint, EchoAsync);
        using RawClient client = await server.ConnectAsync();
        byte[] sent = Payload.Of(lengthBytes);

        Task sending = client.SendAsync(sent);
        byte[] received = await client.ReadExactlyAsync(lengthBytes);
        await sending;
        client.Finish();
        Ended rest = await client.ReadToEndAsync();

        Payload.AssertSame(sent, received);
        Assert.Equal((0, Ending.Fin), (rest.Bytes.Length, rest.Ending));
    }

    [Theory, OverTransports]
    public async Task AnswersAfterTheClientsFin(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await StartAsync(transport, endPoint, async connection =>
        {
            byte[] received = await ReadToEndAsync(connection.Transport.Input);
            await connection.Transport.Output.WriteAsync(received);
        });
        using RawClient client = await server.ConnectAsync();

        await client.SendAsync("asked");
        client.Finish();
        Ended ended = await client.ReadToEndAsync();

        Assert.Equal("asked", Encoding.ASCII.GetString(ended.Bytes));
        Assert.Equal(Ending.Fin, ended.Ending);
    }

    [Theory, OverTransports]
    public async Task SendsEverythingThatWasFlushedBeforeTheOutputWasCompleted(TransportKind transport, EndPointKind endPoint)
    {
        byte[] content = Payload.Of(1_000_000);
        await using TestServer server = await StartAsync(transport, endPoint, async connection =>
        {
            await connection.Transport.Output.WriteAsync(content);
            await connection.Transport.Output.CompleteAsync();
        });
        using RawClient client = await server.ConnectAsync();

        Ended ended = await client.ReadToEndAsync();

        Payload.AssertSame(content, ended.Bytes);
        Assert.Equal(Ending.Fin, ended.Ending);
    }

    [Theory, OverTransports]
    public async Task SendsWhatWasWrittenButNotFlushedWhenTheOutputIsCompleted(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await StartAsync(transport, endPoint, async connection =>
        {
            connection.Transport.Output.Write("unflushed"u8);
            await connection.Transport.Output.CompleteAsync();
        });
        using RawClient client = await server.ConnectAsync();

        Assert.Equal("unflushed", Encoding.ASCII.GetString((await client.ReadToEndAsync()).Bytes));
    }

    [Theory, OverTransports]
    public async Task CompletingTheOutputEndsTheReadToo(TransportKind transport, EndPointKind endPoint)
    {
        TaskCompletionSource ended = Waits.Signal();
        await using TestServer server = await StartAsync(transport, endPoint, async connection =>
        {
            await connection.Transport.Output.WriteAsync("bye"u8.ToArray());
            await connection.Transport.Output.CompleteAsync();
            try
            {
                await ReadToEndAsync(connection.Transport.Input);
            }
            catch (ConnectionAbortedException)
            {
            }

            ended.SetResult();
        });
        using RawClient client = await server.ConnectAsync();

        Ended answer = await client.ReadToEndAsync();

        Assert.Equal("bye", Encoding.ASCII.GetString(answer.Bytes));
        await ended.Task.Within(20.Seconds());
    }

    [Theory, OverTransports(TcpOnly = true)]
    public async Task AResetFailsTheRead(TransportKind transport, EndPointKind endPoint)
    {
        TaskCompletionSource entered = Waits.Signal();
        TaskCompletionSource<Exception> failed = Waits.Signal<Exception>();
        await using TestServer server = await StartAsync(transport, endPoint, async connection =>
        {
            entered.SetResult();
            try
            {
                await ReadToEndAsync(connection.Transport.Input);
                failed.SetException(new InvalidOperationException("The read ended without an exception."));
            }
            catch (IOException exception)
            {
                failed.SetResult(exception);
            }
        });
        using RawClient client = await server.ConnectAsync();
        await entered.Task.Within(20.Seconds());

        client.Reset();

        Assert.IsType<ConnectionResetException>(await failed.Task.Within(20.Seconds()));
    }

    [Theory, OverTransports]
    public async Task ConnectionClosedFiresOnAFinWhileNobodyReads(TransportKind transport, EndPointKind endPoint)
        => await AssertConnectionClosedFiresAsync(transport, endPoint, client => client.Finish());

    [Theory, OverTransports(TcpOnly = true)]
    public async Task ConnectionClosedFiresOnAResetWhileNobodyReads(TransportKind transport, EndPointKind endPoint)
        => await AssertConnectionClosedFiresAsync(transport, endPoint, client => client.Reset());

    [Theory, OverTransports(TcpOnly = true)]
    public async Task AbortGivesTheClientAReset(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await StartAsync(transport, endPoint, async connection =>
        {
            await connection.Transport.Input.ReadAsync();
            connection.Abort(new ConnectionAbortedException("The test aborts."));
        });
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync("x");

        Assert.Equal(Ending.Reset, (await client.ReadToEndAsync()).Ending);
    }

    [Theory, OverTransports]
    public async Task AbortWithoutAReasonGivesTheClientAFin(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await StartAsync(transport, endPoint, async connection =>
        {
            ReadResult result = await connection.Transport.Input.ReadAsync();
            connection.Transport.Input.AdvanceTo(result.Buffer.End);

            // Kestrel does so when it sees the client's FIN: no reason means that nothing went wrong.
            connection.Abort(null!);
        });
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync("x");

        await client.AssertEndsAsync(Ending.Fin);
    }

    [Theory, OverTransports]
    public async Task AbortEndsAPendingReadAndFiresConnectionClosed(TransportKind transport, EndPointKind endPoint)
    {
        TaskCompletionSource connected = Waits.Signal();
        TaskCompletionSource ended = Waits.Signal();
        TaskCompletionSource closed = Waits.Signal();
        await using TestServer server = await StartAsync(transport, endPoint, async connection =>
        {
            await connected.Task.Within(20.Seconds());
            connection.ConnectionClosed.Register(closed.SetResult);
            Task<byte[]> reading = ReadToEndAsync(connection.Transport.Input);
            connection.Abort(new ConnectionAbortedException("The test aborts."));
            await Assert.ThrowsAnyAsync<ConnectionAbortedException>(() => reading);
            ended.SetResult();
        });
        using RawClient client = await server.ConnectAsync();

        connected.SetResult();

        await ended.Task.Within(20.Seconds());
        await closed.Task.Within(20.Seconds());
    }

    [Theory, OverTransports]
    public async Task CancelPendingReadWakesTheReader(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await StartAsync(transport, endPoint, async connection =>
        {
            PipeReader input = connection.Transport.Input;
            ValueTask<ReadResult> pending = input.ReadAsync();
            input.CancelPendingRead();
            ReadResult cancelled = await pending;
            input.AdvanceTo(cancelled.Buffer.End);
            await connection.Transport.Output.WriteAsync(Encoding.ASCII.GetBytes(cancelled.IsCanceled ? "cancelled;" : "not cancelled;"));
            ReadResult next = await input.ReadAsync();
            await connection.Transport.Output.WriteAsync(next.Buffer.ToArray());
            input.AdvanceTo(next.Buffer.End);
        });
        using RawClient client = await server.ConnectAsync();

        Assert.Equal("cancelled;", Encoding.ASCII.GetString(await client.ReadExactlyAsync(10)));
        await client.SendAsync("n");
        Assert.Equal("n", Encoding.ASCII.GetString((await client.ReadToEndAsync()).Bytes));
    }

    [Theory, OverTransports]
    public async Task UnconsumedBytesComeAgainWithWhatFollows(TransportKind transport, EndPointKind endPoint)
    {
        byte[] sent = Payload.Of(20_000);
        TaskCompletionSource<byte[]> read = Waits.Signal<byte[]>();
        await using TestServer server = await StartAsync(transport, endPoint, async connection =>
        {
            PipeReader input = connection.Transport.Input;
            while (true)
            {
                ReadResult result = await input.ReadAsync();
                if (result.Buffer.Length >= sent.Length)
                {
                    read.SetResult(result.Buffer.ToArray());
                    input.AdvanceTo(result.Buffer.End);
                    return;
                }

                input.AdvanceTo(result.Buffer.Start, result.Buffer.End);
            }
        });
        using RawClient client = await server.ConnectAsync();
        for (int offset = 0; offset < sent.Length; offset += 500)
        {
            await client.SendAsync(sent.AsMemory(offset, 500));
        }

        Payload.AssertSame(sent, await read.Task.Within(20.Seconds()));
    }

    [Theory, OverTransports]
    public async Task AFailingHandlerEndsOnlyItsOwnConnection(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await TestServer.StartAsync(new(transport, endPoint)
        {
            ExpectsErrors = true,
            Listen = listen => listen.Use(_ => async connection =>
            {
                ReadResult result = await connection.Transport.Input.ReadAsync();
                if (result.Buffer.FirstSpan[0] == (byte)'!')
                {
                    throw new InvalidOperationException("The test's handler fails.");
                }

                await connection.Transport.Output.WriteAsync(result.Buffer.ToArray());
                connection.Transport.Input.AdvanceTo(result.Buffer.End);
            }),
        });
        using RawClient failing = await server.ConnectAsync();
        using RawClient other = await server.ConnectAsync();

        await failing.SendAsync("!");
        Assert.Empty((await failing.ReadToEndAsync()).Bytes);

        // One byte, which no kernel delivers in two pieces.
        await other.SendAsync("k");
        Assert.Equal("k", Encoding.ASCII.GetString((await other.ReadToEndAsync()).Bytes));
    }

    private static Task<TestServer> StartAsync(TransportKind transport, EndPointKind endPoint, ConnectionDelegate handler)
        => TestServer.StartAsync(new(transport, endPoint) { Listen = listen => listen.Use(_ => handler) });

    private static async Task EchoAsync(ConnectionContext connection)
    {
        while (true)
        {
            ReadResult result = await connection.Transport.Input.ReadAsync();
            foreach (ReadOnlyMemory<byte> segment in result.Buffer)
            {
                await connection.Transport.Output.WriteAsync(segment);
            }

            connection.Transport.Input.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
            {
                return;
            }
        }
    }

    private static async Task<byte[]> ReadToEndAsync(PipeReader input)
    {
        using MemoryStream bytes = new();
        while (true)
        {
            ReadResult result = await input.ReadAsync();
            foreach (ReadOnlyMemory<byte> segment in result.Buffer)
            {
                bytes.Write(segment.Span);
            }

            input.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
            {
                return bytes.ToArray();
            }
        }
    }

    private static async Task AssertConnectionClosedFiresAsync(TransportKind transport, EndPointKind endPoint, Action<RawClient> end)
    {
        TaskCompletionSource entered = Waits.Signal();
        TaskCompletionSource closed = Waits.Signal();
        await using TestServer server = await StartAsync(transport, endPoint, async connection =>
        {
            connection.ConnectionClosed.Register(closed.SetResult);
            entered.SetResult();
            await closed.Task.Within(20.Seconds());
        });
        using RawClient client = await server.ConnectAsync();
        await entered.Task.Within(20.Seconds());

        end(client);

        await closed.Task.Within(20.Seconds());
    }
}
