namespace Ioxide.Pg;

/// <summary>The environment that completes options: variables, user and files. Tests replace it.</summary>
internal class SettingsEnvironment
{
    internal static readonly SettingsEnvironment Process = new();

    internal virtual string? Variable(string name)
        => Environment.GetEnvironmentVariable(name) is { Length: > 0 } value ? value : null;

    /// <summary>The operating system's user.</summary>
    internal virtual string UserName => Environment.UserName;

    /// <summary>The user's folder, or null if there is none, as for some services.</summary>
    internal virtual string? Home
        => Environment.GetFolderPath(Environment.SpecialFolder.UserProfile) is { Length: > 0 } path ? path : null;

    internal virtual bool FileExists(string path) => File.Exists(path);

    internal virtual bool DirectoryExists(string path) => Directory.Exists(path);

    /// <summary>The file's text and its permissions, or null if there is no such file.</summary>
    internal virtual (string Text, UnixFileMode Mode)? ReadFile(string path)
    {
        try
        {
            return (File.ReadAllText(path), OperatingSystem.IsWindows() ? UnixFileMode.None : File.GetUnixFileMode(path));
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // As in libpq, a password file that cannot be read is ignored.
            return null;
        }
    }
}
