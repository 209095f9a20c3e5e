namespace Ioxide.Pg;

/// <summary>Whether a look is asked for and has not begun. A mutable struct: the field of the object that looks.</summary>
/// <remarks>
/// Who asks has written before what the look is to find. Both members are full fences, so either the look sees that, or the asker sees that the
/// look has begun, and starts another. Threads: any.
/// </remarks>
internal struct AskFlag
{
    private int _isAsked;

    /// <summary>Asks for a look. True if the caller must start it: none is on its way.</summary>
    internal bool TryAsk() => Interlocked.Exchange(ref _isAsked, 1) == 0;

    /// <summary>The look begins: it reads everything after this call.</summary>
    internal void Begin() => Interlocked.Exchange(ref _isAsked, 0);
}
