namespace Ioxide.TestKit;

/// <summary>How much of what a seed draws is tried: all of it in Release, a tenth in Debug, whose assertions it passes too.</summary>
/// <remarks>Cases are drawn in order, so that those of Debug are the first of Release.</remarks>
internal static class Scale
{
#if DEBUG
    private const int Part = 10;
#else
    private const int Part = 1;
#endif

    /// <summary>The part of so many cases that this configuration tries.</summary>
    internal static int Of(int count) => count / Part;
}
