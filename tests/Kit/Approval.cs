namespace Ioxide.TestKit;

/// <summary>A file that a test compares with what it finds. Somebody who means the difference has the test write it.</summary>
internal static class Approval
{
    internal const string Variable = "IOXIDE_APPROVE";

    /// <summary>The file's text; what is approved, if <see cref="Variable"/> is 1, is written first. Without a file, nothing.</summary>
    internal static string Read(string path, string approved)
    {
        if (Environment.GetEnvironmentVariable(Variable) == "1")
        {
            File.WriteAllText(path, approved);
        }

        return File.Exists(path) ? File.ReadAllText(path) : "";
    }
}
