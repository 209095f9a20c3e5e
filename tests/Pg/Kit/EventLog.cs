using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Ioxide.Pg.Tests;

/// <summary>Keeps the names and the texts of what is logged.</summary>
/// <param name="throws">Whether it throws for each line, as a broken logger does.</param>
internal sealed class EventLog(bool throws = false) : ILoggerFactory, ILogger
{
    private readonly ConcurrentQueue<string> _names = new();

    /// <summary>How often an event was logged.</summary>
    internal int Count(string name) => _names.Count(logged => logged == name);

    private readonly ConcurrentQueue<string> _texts = new();

    internal IReadOnlyCollection<string> Texts => _texts;

    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider) => throw new NotSupportedException();

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        _names.Enqueue(eventId.Name ?? "");
        _texts.Enqueue(formatter(state, exception));
        if (throws)
        {
            throw new InvalidOperationException("a logger");
        }
    }

    public void Dispose()
    {
    }
}
