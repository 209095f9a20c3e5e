namespace Ioxide.TestKit;

/// <summary>A program ended with another status than 0.</summary>
internal sealed class ToolFailedException(string[] command, int status, string error)
    : Exception($"{string.Join(' ', command)}\nended with status {status}:\n{error}")
{
    /// <summary>What it wrote to its error output. For psql: <c>psql:&lt;stdin&gt;:1: ERROR:  22012: division by zero</c> and more.</summary>
    internal string Error { get; } = error;
}
