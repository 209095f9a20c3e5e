using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Ioxide.AspNetCore.Tests;

/// <summary>Keeps what a server logs.</summary>
internal sealed class LogCapture(LogLevel minimum = LogLevel.Information) : ILoggerProvider
{
    internal ConcurrentQueue<LogLine> Lines { get; } = new();

    public ILogger CreateLogger(string categoryName) => new Logger(categoryName, minimum, Lines);

    public void Dispose()
    {
    }

    private sealed class Logger(string category, LogLevel minimum, ConcurrentQueue<LogLine> lines) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => logLevel >= minimum;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
            => lines.Enqueue(new(category, logLevel, eventId, formatter(state, exception), exception));
    }
}
