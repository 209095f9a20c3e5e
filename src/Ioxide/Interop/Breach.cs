using System.Diagnostics.CodeAnalysis;

namespace Ioxide;

/// <summary>Ends the process when continuing could let the kernel write into memory that others use.</summary>
internal static class Breach
{
    [DoesNotReturn]
    internal static void Fail(string what)
        => Environment.FailFast($"Ioxide: {what}. Going on could corrupt memory, so the process ends here.");
}
