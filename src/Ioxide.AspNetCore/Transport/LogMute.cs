using Microsoft.Extensions.Primitives;

namespace Ioxide.AspNetCore;

/// <summary>Turns the host's log off while the host is checked: its report says everything, and may be JSON on the stream of the log.</summary>
/// <remarks>A logger factory that is not the framework's does not read these options.</remarks>
internal sealed class LogMute : IPostConfigureOptions<LoggerFilterOptions>, IOptionsChangeTokenSource<LoggerFilterOptions>, IDisposable
{
    private CancellationTokenSource _changed = new();
    private volatile bool _isMuted;

    public string? Name => Microsoft.Extensions.Options.Options.DefaultName;

    public IChangeToken GetChangeToken() => new CancellationChangeToken(Volatile.Read(ref _changed).Token);

    public void PostConfigure(string? name, LoggerFilterOptions options)
    {
        if (_isMuted)
        {
            options.Rules.Clear();
            options.MinLevel = LogLevel.None;
        }
    }

    public void Dispose() => _changed.Dispose();

    /// <summary>From here on, no logger writes.</summary>
    internal void Mute()
    {
        _isMuted = true;
        using CancellationTokenSource before = Interlocked.Exchange(ref _changed, new CancellationTokenSource());
        before.Cancel();
    }
}
