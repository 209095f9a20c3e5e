using System.Diagnostics;

namespace Ioxide.Do;

/// <summary>One compiler for all builds of this process, which ends with it.</summary>
internal sealed class CompilerServer : IDisposable
{
    private readonly string _id = $"ioxide-ci-{Environment.ProcessId}";

    internal CompilerServer()
    {
        Environment.SetEnvironmentVariable("UseSharedCompilation", "true");
        Environment.SetEnvironmentVariable("SharedCompilationId", _id);
        Environment.SetEnvironmentVariable("MSBUILDDISABLENODEREUSE", "1");
    }

    public void Dispose()
    {
        foreach (Process process in Process.GetProcesses())
        {
            using (process)
            {
                if (IsCompiler(process.Id))
                {
                    process.Kill();
                }
            }
        }
    }

    private bool IsCompiler(int process)
    {
        try
        {
            string[] words = File.ReadAllText($"/proc/{process}/cmdline").Split('\0');
            return words.Contains($"-pipename:{_id}") && words.Any(static word => word.Contains("VBCSCompiler", StringComparison.Ordinal));
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return false; // It has ended meanwhile, or is somebody else's.
        }
    }
}
