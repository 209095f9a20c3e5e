namespace Ioxide;

/// <summary>Threads that wait for each other again and again, so that what follows races. It makes no store visible.</summary>
internal sealed class Meeting(int threads)
{
    private int _arrived;

    [ThreadStatic]
    private static int s_meetings;

    [ThreadStatic]
    private static Meeting? s_last;

    /// <summary>Returns when all threads are here.</summary>
    internal void Wait()
    {
        if (!ReferenceEquals(s_last, this))
        {
            s_last = this;
            s_meetings = 0;
        }

        int wanted = ++s_meetings * threads;
        System.Threading.Interlocked.Increment(ref _arrived);
        Race.Until(() => System.Threading.Volatile.Read(ref _arrived) >= wanted, "the others");
    }
}
