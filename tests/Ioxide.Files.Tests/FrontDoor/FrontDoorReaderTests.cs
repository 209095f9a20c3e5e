using System.Buffers;
using System.IO.Pipelines;
using System.Text;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.Files.Tests;

/// <summary>The door between two pipes, with the test in the place of the server, which may do what the real one never should.</summary>
public class FrontDoorReaderTests
{
    private const int FileBytes = 8000;

    [Fact]
    public async Task TheDoorOpensAgainWhereTheServerConsumedItsRequest()
    {
        await using var stage = await Stage.CreateAsync();
        await stage.ReceiveAsync(RawClient.Get("/missing") + RawClient.Get("/a.txt") + RawClient.Get("/missing"));

        Assert.Equal(3, await stage.CountRequestsAsync());
        await stage.ConsumeRequestsAsync(1);

        // The second is answered at the door.
        Assert.Equal(1, await stage.CountRequestsAsync());
        Assert.Equal(1, stage.AtFrontDoor);
    }

    [Fact]
    public async Task TheDoorStaysShutWhereTheServerConsumedMoreThanItsRequest()
    {
        await using var stage = await Stage.CreateAsync();
        await stage.ReceiveAsync(RawClient.Get("/missing") + RawClient.Get("/a.txt") + RawClient.Get("/a.txt"));

        Assert.Equal(3, await stage.CountRequestsAsync());
        await stage.ConsumeRequestsAsync(2);

        // Where the next request begins is the server's to know now.
        Assert.Equal(1, await stage.CountRequestsAsync());
        await stage.ReceiveAsync(RawClient.Get("/a.txt"));
        Assert.Equal(2, await stage.CountRequestsAsync());
        Assert.Equal(0, stage.AtFrontDoor);
    }

    [Fact]
    public async Task ABodyThatLooksLikeARequestIsTheServers()
    {
        string request = RawClient.Get("/a.txt");
        await using var stage = await Stage.CreateAsync();
        await stage.ReceiveAsync($"POST /missing HTTP/1.1\r\nHost: localhost\r\nContent-Length: {request.Length}\r\n\r\n{request}{request}");

        // The head first, then the body; what follows it is answered at the door.
        Assert.Equal(2, await stage.CountRequestsAsync());
        await stage.ConsumeRequestsAsync(1);
        Assert.Equal(2, await stage.CountRequestsAsync());
        await stage.ConsumeRequestsAsync(1);
        await stage.ReceiveAsync(RawClient.Get("/missing"));
        Assert.Equal(1, await stage.CountRequestsAsync());
        Assert.Equal(1, stage.AtFrontDoor);
    }

    [Fact]
    public async Task AStopEndsTheWaitForAClientThatDoesNotRead()
    {
        await using var stage = await Stage.CreateAsync();
        await stage.ReceiveAsync(string.Concat(Enumerable.Repeat(RawClient.Get("/a.txt"), 200)));
        Task<ReadResult> read = stage.Door.ReadAsync().AsTask();
        Assert.False(read.IsCompleted);

        stage.Stop();

        Assert.True((await read.Within(60.Seconds())).IsCanceled);
    }

    [Fact]
    public async Task ManyRequestsOfAClientThatDoesNotReadAreAnsweredOneLoadAtATime()
    {
        await using var stage = await Stage.CreateAsync();
        await stage.ReceiveAsync(string.Concat(Enumerable.Repeat(RawClient.Get("/a.txt"), 200)));

        // The client takes nothing, so the first flush does not end.
        ValueTask<ReadResult> read = stage.Door.ReadAsync();
        Assert.False(read.IsCompleted);
        Assert.InRange(stage.WrittenBytes, 1, (64 * 1024) + (2 * FileBytes));
        long started = Environment.TickCount64;
        while (stage.AtFrontDoor < 200)
        {
            Assert.True(Environment.TickCount64 - started < 60_000, "The door does not go on.");
            Assert.InRange(stage.WrittenBytes, 0, (64 * 1024) + (2 * FileBytes));
            await stage.TakeAnswersAsync();
        }
    }

    [Fact]
    public async Task WithoutTheServersTimeoutsTheDoorStaysShut()
    {
        await using var stage = await Stage.CreateAsync(hasTimeouts: false);
        await stage.ReceiveAsync(RawClient.Get("/a.txt"));

        Assert.Equal(1, await stage.CountRequestsAsync());
        Assert.Equal(0, stage.AtFrontDoor);
    }

    private sealed class Stage : IAsyncDisposable
    {
        private readonly TestFolder _folder;
        private readonly FileServer _host;
        private readonly NoTimeouts _timeouts = new();
        private readonly Pipe _input = new(new PipeOptions(pauseWriterThreshold: 0, useSynchronizationContext: false));
        private readonly Pipe _output = new(new PipeOptions(pauseWriterThreshold: 1, resumeWriterThreshold: 1, useSynchronizationContext: false));

        private Stage(TestFolder folder, FileServer host, bool hasTimeouts)
        {
            _folder = folder;
            _host = host;
            DefaultConnectionContext connection = new("1", new FrontDoorPipe(_input.Reader, _output.Writer), new FrontDoorPipe(_output.Reader, _input.Writer));
            if (hasTimeouts)
            {
                connection.Features.Set<IConnectionHeartbeatFeature>(_timeouts);
                connection.Features.Set<IConnectionLifetimeNotificationFeature>(_timeouts);
            }

            var server = new FrontDoorServer(new KestrelServerOptions());
            Door = new FrontDoorReader(
                connection, new FrontDoorResponder(host.Services.GetRequiredService<FileSites>(), connection, server), server);
        }

        internal FrontDoorReader Door { get; }

        internal long AtFrontDoor => _host.Statistics.AtFrontDoor;

        internal long WrittenBytes
        {
            get
            {
                if (!_output.Reader.TryRead(out ReadResult result))
                {
                    return 0;
                }

                _output.Reader.AdvanceTo(result.Buffer.Start);
                return result.Buffer.Length;
            }
        }

        internal static async Task<Stage> CreateAsync(bool hasTimeouts = true)
        {
            TestFolder folder = new TestFolder().With("a.txt", Payload.Of(FileBytes));
            return new Stage(folder, await FileServer.StartAsync(Tests.Door.SocketsFront, folder), hasTimeouts);
        }

        internal async Task ReceiveAsync(string requests) => await _input.Writer.WriteAsync(Encoding.ASCII.GetBytes(requests));

        /// <summary>Reads as the server does, and consumes nothing.</summary>
        internal async Task<int> CountRequestsAsync()
        {
            Task<ReadResult> reading = Door.ReadAsync().AsTask();
            long started = Environment.TickCount64;
            while (!reading.IsCompleted)
            {
                Assert.True(Environment.TickCount64 - started < 60_000, "The door answered all that was the server's.");
                await TakeAnswersAsync();
            }

            ReadResult result = await reading;
            int count = Encoding.ASCII.GetString(result.Buffer).Split("GET ").Length - 1;
            Door.AdvanceTo(result.Buffer.Start);
            return count;
        }

        internal async Task ConsumeRequestsAsync(int count)
        {
            ReadResult result = await Door.ReadAsync().AsTask().Within(60.Seconds());
            string text = Encoding.ASCII.GetString(result.Buffer);
            int length = 0;
            for (int index = 0; index < count; index++)
            {
                length = text.IndexOf("\r\n\r\n", length, StringComparison.Ordinal) + 4;
            }

            Door.AdvanceTo(result.Buffer.GetPosition(length));
        }

        /// <summary>Ends the connection as a server that stops.</summary>
        internal void Stop()
        {
            _timeouts.ConnectionClosedRequested = new CancellationToken(canceled: true);
            Door.CancelPendingRead();
        }

        /// <summary>The client takes what has been written, if it is anything.</summary>
        internal async Task TakeAnswersAsync()
        {
            if (_output.Reader.TryRead(out ReadResult result))
            {
                _output.Reader.AdvanceTo(result.Buffer.End);
            }

            await Task.Yield();
        }

        public async ValueTask DisposeAsync()
        {
            await _host.DisposeAsync();
            _folder.Dispose();
        }
    }

    /// <summary>A server whose clock stands still.</summary>
    private sealed class NoTimeouts : IConnectionHeartbeatFeature, IConnectionLifetimeNotificationFeature
    {
        public CancellationToken ConnectionClosedRequested { get; set; }

        public void OnHeartbeat(Action<object> action, object state)
        {
        }

        public void RequestClose() => Assert.Fail("No time passes.");
    }
}
