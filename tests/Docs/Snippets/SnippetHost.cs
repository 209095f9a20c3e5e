using System.Globalization;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Emit;

namespace Ioxide.Docs.Tests;

/// <summary>A block that is a whole program, built beside the tests and started.</summary>
internal static class SnippetHost
{
    /// <summary>Starts the program of a block on ports that the kernel chooses.</summary>
    internal static async Task<HostProcess> StartAsync(Fence fence, params string[] arguments)
    {
        // Documents name ports that are easy to remember. On a machine that builds, another process may have them.
        Fence free = fence with { Text = fence.Text.Replace("7000", "0", StringComparison.Ordinal) };
        (CSharpCompilation compilation, string[] problems) = await SnippetCompiler.CompileAsync(free);
        Assert.True(problems.Length == 0, string.Join('\n', problems));

        string name = string.Create(CultureInfo.InvariantCulture, $"Snippet.{fence.File.Replace('/', '.')}.{fence.Line}");
        string folder = Path.Combine(AppContext.BaseDirectory, "../..", name, new DirectoryInfo(AppContext.BaseDirectory).Name);
        Directory.CreateDirectory(folder);
        foreach (string package in Directory.EnumerateFiles(AppContext.BaseDirectory, "Ioxide*.dll"))
        {
            File.Copy(package, Path.Combine(folder, Path.GetFileName(package)), overwrite: true);
        }

        EmitResult emitted = compilation.Emit(Path.Combine(folder, $"{name}.dll"));
        Assert.True(emitted.Success, string.Join('\n', emitted.Diagnostics));
        File.Copy(
            Path.ChangeExtension(typeof(SnippetHost).Assembly.Location, ".runtimeconfig.json"),
            Path.Combine(folder, $"{name}.runtimeconfig.json"),
            overwrite: true);
        return HostProcess.Start(name, arguments, endsWithInput: arguments.Length == 0);
    }
}
