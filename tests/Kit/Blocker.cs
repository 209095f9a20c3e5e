namespace Ioxide.TestKit;

/// <summary>Keeps a thread until it is released, by sleeping: the runtime sees a managed wait and serves a reactor inside it, but not this.</summary>
internal sealed class Blocker : IDisposable
{
    private static readonly TimeSpan s_limit = TimeSpan.FromMinutes(2);

    private volatile bool _isReleased;

    internal bool IsReleased => _isReleased;

    /// <summary>Blocks the calling thread. False where nobody released it within two minutes.</summary>
    internal bool Hold()
    {
        long started = Environment.TickCount64;
        while (!_isReleased)
        {
            if (Environment.TickCount64 - started > s_limit.TotalMilliseconds)
            {
                return false;
            }

            Thread.Sleep(1);
        }

        return true;
    }

    internal void Release() => _isReleased = true;

    /// <summary>Releases, so that a test that fails leaves nothing blocked.</summary>
    public void Dispose() => Release();
}
