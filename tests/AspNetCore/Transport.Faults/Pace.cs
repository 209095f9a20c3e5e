namespace Ioxide.AspNetCore.Tests;

/// <summary>How a client sends the requests of an <see cref="Exchange"/>.</summary>
public enum Pace
{
    /// <summary>The next request leaves when the answer to the one before it is there.</summary>
    AnswerByAnswer,

    /// <summary>All that is sent leaves in one write.</summary>
    AtOnce,
}
