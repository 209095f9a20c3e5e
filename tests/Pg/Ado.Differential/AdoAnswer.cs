namespace Ioxide.Pg.Tests;

/// <summary>What a driver answered to a step, and how the step found what it was about.</summary>
/// <param name="Text">The answer.</param>
internal readonly record struct AdoAnswer(string Text)
{
    /// <summary>A reader was open.</summary>
    internal bool IsReaderOpen { get; init; }

    /// <summary>The reader's last move to a row or a result was an error.</summary>
    internal bool HasReaderFailed { get; init; }

    /// <summary>What the step ran or set has a transaction that may be over, or one of another connection.</summary>
    internal bool IsTransactionUnusable { get; init; }
}
