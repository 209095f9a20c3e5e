namespace Ioxide;

/// <summary>Ends the process when continuing could let the kernel write into memory that others use.</summary>
internal static class Breach
{
    /// <summary>Describes what the calling thread drives; set by whoever makes threads of reactors.</summary>
    internal static Func<string?>? StateHere { get; set; }

    [DoesNotReturn]
    internal static void Fail(string what, string state) => Environment.FailFast(
        $"Ioxide: {what}. Going on could corrupt memory, so the process ends here. State: {state}. {StateHere?.Invoke()}");
}
