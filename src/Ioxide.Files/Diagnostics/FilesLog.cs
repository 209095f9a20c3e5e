namespace Ioxide.Files;

/// <summary>Log messages of static files, ids 4000 to 4999.</summary>
/// <remarks>Used and never to be used again: 4004, 4006, 4015, 4020 to 4022.</remarks>
internal static partial class FilesLog
{
    [LoggerMessage(4001, LogLevel.Information,
        "{Folder} is loaded: {FileCount} files, {MemoryBytes} bytes in memory, {DiskFileCount} files left on disk, in {ElapsedMs:F0} ms.")]
    internal static partial void Loaded(
        ILogger logger, string folder, int fileCount, long memoryBytes, int diskFileCount, double elapsedMs);

    [LoggerMessage(4002, LogLevel.Warning,
        "{Folder} could not be read again. Its previous content is still served; the reload is retried every few seconds.")]
    internal static partial void ReloadFailed(ILogger logger, string folder, Exception exception);

    [LoggerMessage(4003, LogLevel.Warning, "{Path} is skipped: {Reason}.")]
    internal static partial void Skipped(ILogger logger, string path, string reason);

    [LoggerMessage(4009, LogLevel.Warning, "{Count} more files or folders below {Folder} are skipped.")]
    internal static partial void MoreSkipped(ILogger logger, string folder, int count);

    [LoggerMessage(4010, LogLevel.Warning, "The option {Option} failed for {Path}: {Error}. {Consequence}")]
    internal static partial void OptionFailed(ILogger logger, string option, string path, string error, string consequence);

    [LoggerMessage(4005, LogLevel.Warning,
        "{Folder} cannot be watched ({Reason}). Its files are compared every few seconds instead. {Remedy}")]
    internal static partial void NotWatched(ILogger logger, string folder, string reason, string remedy);

    [LoggerMessage(4008, LogLevel.Warning,
        "openat2 failed with {Error}: files below {Folder} are opened name by name, which is as safe but slower. Allow openat2 in the " +
        "seccomp profile of the container (deploy/seccomp.json) or in the SystemCallFilter= of the systemd unit.")]
    internal static partial void PathsAreWalked(ILogger logger, string folder, string error);

    [LoggerMessage(4007, LogLevel.Information, "{Path} changed while it was sent. Its connection was aborted.")]
    internal static partial void ChangedWhileSent(ILogger logger, string path);
}
