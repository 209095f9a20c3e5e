namespace Ioxide.Simulation;

/// <summary>What happened while a reactor waited in its ring.</summary>
internal enum Waiting
{
    /// <summary>Nothing can, until its time is over or something happens outside.</summary>
    TimePasses,

    /// <summary>Others turned: there may be something now.</summary>
    OthersTurned,

    /// <summary>A signal came: the wait ends with EINTR.</summary>
    Interrupted,
}
