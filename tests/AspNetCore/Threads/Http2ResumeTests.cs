using System.Collections.Concurrent;
using System.IO.Pipelines;
using System.Net;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// Kestrel parses HTTP/2 on the thread pool, so a connection that has shown to speak it is read there; HTTP/1.1 stays on the reactor.
/// Connection middleware notes where each read was resumed.
/// </summary>
public class Http2ResumeTests
{
    [Fact]
    public async Task AConnectionOfHttp2IsReadOnTheThreadPoolFromItsFirstRequestOn()
    {
        ConcurrentQueue<bool> areOnReactor = await ReadsOfAsync(HttpVersion.Version20, HttpProtocols.Http2);

        Assert.True(areOnReactor.First());
        Assert.Contains(false, areOnReactor);
        Assert.False(areOnReactor.Last());
    }

    [Fact]
    public async Task AConnectionOfHttp1IsReadOnItsReactor()
        => Assert.DoesNotContain(false, await ReadsOfAsync(HttpVersion.Version11, HttpProtocols.Http1));

    /// <summary>20 requests of one connection; whether each read that waited was resumed on a reactor.</summary>
    private static async Task<ConcurrentQueue<bool>> ReadsOfAsync(Version version, HttpProtocols protocols)
    {
        ConcurrentQueue<bool> areOnReactor = [];
        await using TestServer server = await TestServer.StartAsync(new(TransportKind.Ioxide)
        {
            Listen = listen =>
            {
                listen.Protocols = protocols;
                listen.Use(next => connection =>
                {
                    connection.Transport = new NotingPipe(connection.Transport, areOnReactor);
                    return next(connection);
                });
            },
            Handler = Handlers.PathAsync,
        });
        using HttpClient client = server.CreateClient(version);
        for (int request = 0; request < 20; request++)
        {
            Assert.Equal($"/{request}", await client.GetStringAsync(new Uri($"/{request}", UriKind.Relative)));
        }

        Assert.Single(server.Connections);
        return areOnReactor;
    }

    private sealed class NotingPipe(IDuplexPipe inner, ConcurrentQueue<bool> areOnReactor) : PipeReader, IDuplexPipe
    {
        public PipeReader Input => this;

        public PipeWriter Output => inner.Output;

        public override async ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
        {
            ReadResult result = await inner.Input.ReadAsync(cancellationToken).ConfigureAwait(false);
            if (!result.IsCompleted && !result.IsCanceled)
            {
                areOnReactor.Enqueue(Reactor.Current is not null);
            }

            return result;
        }

        public override bool TryRead(out ReadResult result) => inner.Input.TryRead(out result);

        public override void AdvanceTo(SequencePosition consumed) => inner.Input.AdvanceTo(consumed);

        public override void AdvanceTo(SequencePosition consumed, SequencePosition examined) => inner.Input.AdvanceTo(consumed, examined);

        public override void CancelPendingRead() => inner.Input.CancelPendingRead();

        public override void Complete(Exception? exception = null) => inner.Input.Complete(exception);
    }
}
