namespace Ioxide.Compare.Jit;

/// <summary>One piece of code that the JIT made.</summary>
/// <param name="Assembly">Where the method is written; <see cref="Dynamic"/> for code that the process itself wrote.</param>
/// <param name="Name">Type and method with their generic arguments, as the runtime names them: <c>__Canon</c> is any class.</param>
/// <param name="Tier">What kind of code, in the runtime's words.</param>
/// <param name="IlBytes">Of the method's body.</param>
/// <param name="CompileMs">From when the compilation began until the code was there, whatever else the CPU did.</param>
/// <param name="AtMs">When the code was there, from the start of the trace.</param>
/// <param name="IsOurs">A method of the packages, or one of others with a type of theirs among its generic arguments.</param>
internal sealed record JitMethod(string Assembly, string Name, string Tier, int IlBytes, double CompileMs, double AtMs, bool IsOurs)
{
    internal const string Dynamic = "(dynamic)";

    /// <summary>Whether it takes the place of earlier code, of the JIT or compiled ahead, that has been called often.</summary>
    internal bool IsAgain => Tier.StartsWith("OptimizedTier1", StringComparison.Ordinal) || Tier.Contains("Instrumented", StringComparison.Ordinal);
}
