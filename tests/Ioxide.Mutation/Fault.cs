namespace Ioxide.Mutation;

/// <summary>One planted fault: a change to one file under src/, and the tests that must notice it.</summary>
/// <param name="Project">The project under src/ that the fault is in.</param>
/// <param name="Name">What is wrong with the code then; unique.</param>
/// <param name="File">The file, relative to the project's folder.</param>
/// <param name="Text">A text that occurs once in the file.</param>
/// <param name="Mutated">What takes its place, with <see cref="Planting.Switch"/> where the fault is switched.</param>
/// <param name="Classes">Test classes that must notice it, the likeliest first. A bare name is of the project's own tests; others are full names.</param>
internal sealed record Fault(string Project, string Name, string File, string Text, string Mutated, params string[] Classes)
{
    /// <summary>Why no test can notice the fault; null where one must.</summary>
    internal string? WhyUnnoticed { get; init; }

    /// <summary>The test classes, with full names.</summary>
    internal IEnumerable<string> ClassNames => Classes.Select(FullNameOf);

    /// <summary>The test project that a class is in: its namespace.</summary>
    internal static string TestProjectOf(string fullName) => fullName[..fullName.LastIndexOf('.')];

    private string FullNameOf(string name)
    {
        string tests = Project == "Ioxide" ? "Ioxide.Tests" : $"{Project}.Tests";
        return name.Contains('.', StringComparison.Ordinal) ? name : $"{tests}.{name}";
    }
}
