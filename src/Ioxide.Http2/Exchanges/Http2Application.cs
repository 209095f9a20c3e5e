using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Abstractions;

namespace Ioxide.Http2;

/// <summary>The application that the server was started with, for any type of context.</summary>
internal abstract class Http2Application
{
    internal abstract HttpExchange NewExchange(Http2Stream stream);

    /// <summary>For one type of context.</summary>
    internal sealed class Of<TContext>(IHttpApplication<TContext> application) : Http2Application
        where TContext : notnull
    {
        internal override HttpExchange NewExchange(Http2Stream stream) => new Exchange(stream, application);

        /// <summary>Keeps the context from one request to the next, as the host asks of servers.</summary>
        private sealed class Exchange(Http2Stream stream, IHttpApplication<TContext> application)
            : HttpExchange(stream), IHostContextContainer<TContext>
        {
            private TContext? _context;

            public TContext? HostContext { get; set; }

            private protected override void CreateContext() => _context = application.CreateContext(this);

            private protected override Task ProcessAsync() => application.ProcessRequestAsync(_context!);

            private protected override void DisposeContext(Exception? exception)
            {
                TContext? context = _context;
                _context = default;
                application.DisposeContext(context!, exception);
            }
        }
    }
}
