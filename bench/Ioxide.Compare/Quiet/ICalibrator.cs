namespace Ioxide.Compare.Quiet;

/// <summary>Times a fixed amount of work.</summary>
internal interface ICalibrator
{
    /// <summary>The time that the work takes on a CPU now. A neighbour on that CPU, or on its core, makes it longer.</summary>
    /// <param name="cpu">As the kernel numbers it.</param>
    TimeSpan Measure(int cpu);
}
