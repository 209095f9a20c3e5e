using System.Security.Cryptography;
using System.Text;

namespace Ioxide.Mutation;

/// <summary>One planted fault: changes to members of types under src/, and the tests that must notice them.</summary>
/// <param name="Project">The project under src/ that the fault is in.</param>
/// <param name="Name">What is wrong with the code then; unique.</param>
/// <param name="Patches">
/// Type.Member, whatever file it stands in (see <see cref="MemberNames"/>); code that is in the member once, however it is wrapped; and what takes its
/// place, with <see cref="SourceTree.Switch"/> where the fault is switched.
/// </param>
/// <param name="Classes">
/// Test classes that must notice it, the likeliest first. A bare name is of the project's own tests; others are full names. None: seeds of the
/// simulation must.
/// </param>
internal sealed record Fault(string Project, string Name, (string Member, string Code, string Mutated)[] Patches, params string[] Classes)
{
    private const int KeyBytes = 8;

    /// <summary>Why no test can notice the fault; null where one must.</summary>
    internal string? WhyUnnoticed { get; init; }

    internal bool IsSimulated => Classes.Length == 0;

    /// <summary>Stands for the changes and the classes: other ones give another key.</summary>
    internal string Key => Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(string.Join(
        '\0', [Project, .. Patches.SelectMany(static patch => new[] { patch.Member, patch.Code, patch.Mutated }), "", .. Classes])))[..KeyBytes]);

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
