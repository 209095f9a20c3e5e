namespace Ioxide.TestKit;

/// <summary>What a board says of one answer; a higher value is better.</summary>
internal enum Score
{
    /// <summary>A requirement (MUST) is broken, or the answer is dangerous.</summary>
    Fail,

    /// <summary>A recommendation (SHOULD) is not followed, or an answer is allowed and not the best.</summary>
    Warn,

    /// <summary>As the case wants it.</summary>
    Pass,
}
