using System.Reflection;
using System.Runtime.Loader;

namespace Ioxide.Tests;

/// <summary>
/// The public surface changes only on purpose. Each assembly's surface is written as text and compared with the approved one;
/// an assembly that this project does not refer to is loaded from its own output folder.
/// </summary>
[Once]
public class PublicApiTests
{
    [Theory, Each("Ioxide", "Ioxide.AspNetCore", "Ioxide.Files", "Ioxide.Http2", "Ioxide.Pg", "Ioxide.Tls")]
    public void IsAsApproved(string assemblyName)
    {
        string actual = PublicApiText.Of(Load(assemblyName));
        string path = Path.Combine(Repository.Root, "tests", "Runtime", "PublicApi", $"{assemblyName}.approved.txt");
        string approved = Approval.Read(path, actual);
        Assert.True(actual == approved, $"""
            The public surface of {assemblyName} is not what was approved:
            {Difference(approved, actual)}
            If that is intended: {Approval.Variable}=1 ./test.sh PublicApi, and commit tests/Runtime/PublicApi/.
            """);
    }

    [Fact]
    public void ShowsWhatWasAddedAndRemoved() => Assert.Equal("- class A\n+ class B", Difference("class A\n    new()\n", "class B\n    new()\n"));

    private static string Difference(string approved, string actual)
    {
        string[] before = approved.Split('\n');
        string[] after = actual.Split('\n');
        IEnumerable<string> lines = Only(before, after).Select(line => $"- {line}").Concat(Only(after, before).Select(line => $"+ {line}"));
        string text = string.Join('\n', lines);
        return text.Length > 0 ? text : "(the same lines in another place)";
    }

    private static IEnumerable<string> Only(string[] these, string[] those)
    {
        Dictionary<string, int> others = those.CountBy(line => line).ToDictionary();
        foreach (string line in these)
        {
            int left = others.GetValueOrDefault(line);
            others[line] = left - 1;
            if (left <= 0)
            {
                yield return line;
            }
        }
    }

    private static Assembly Load(string assemblyName)
    {
        if (assemblyName == typeof(Reactor).Assembly.GetName().Name)
        {
            return typeof(Reactor).Assembly;
        }

        string configuration = new DirectoryInfo(AppContext.BaseDirectory).Name;
        string path = Path.GetFullPath(Path.Combine(AppContext.BaseDirectory, "..", "..", assemblyName, configuration, $"{assemblyName}.dll"));
        AssemblyLoadContext.Default.Resolving += FindInSharedFramework;
        return Assembly.LoadFrom(path);
    }

    /// <summary>This process runs without ASP.NET; its assemblies lie beside the runtime's.</summary>
    private static Assembly? FindInSharedFramework(AssemblyLoadContext context, AssemblyName name)
    {
        string runtime = Path.GetDirectoryName(typeof(object).Assembly.Location)!;
        string path = Path.Combine(runtime, "..", "..", "Microsoft.AspNetCore.App", Path.GetFileName(runtime), $"{name.Name}.dll");
        return File.Exists(path) ? context.LoadFromAssemblyPath(Path.GetFullPath(path)) : null;
    }
}
