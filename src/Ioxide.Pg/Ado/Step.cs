namespace Ioxide.Pg.Data;

/// <summary>The outcome of a step through received rows.</summary>
internal enum Step
{
    /// <summary>There is no more of what was asked for.</summary>
    No,

    /// <summary>It is there.</summary>
    Yes,

    /// <summary>Its bytes have not arrived: the step is repeated after a fetch.</summary>
    More,
}
