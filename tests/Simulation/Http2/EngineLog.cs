using Microsoft.Extensions.Logging;

namespace Ioxide.Simulation;

/// <summary>What the engine logs as an error is one, unless a handler was to throw it.</summary>
internal sealed class EngineLog(Http2World world) : ILogger
{
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Error;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        if (IsEnabled(logLevel) && exception is not (PlannedException or ViolationException))
        {
            world.Violated($"the engine logs {formatter(state, exception)} {exception}");
        }
    }
}
