namespace Ioxide.Files;

/// <summary>Log messages of static files, ids 4000 to 4999.</summary>
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

    [LoggerMessage(4004, LogLevel.Warning,
        "The front door does not answer {Folder}, because its end point has {Metadata}. Requests take the pipeline. Remove that from the end " +
        "point to use the front door.")]
    internal static partial void DoorClosed(ILogger logger, string folder, string metadata);

    [LoggerMessage(4005, LogLevel.Warning,
        "{Folder} cannot be watched ({Reason}). Its files are compared every few seconds instead. {Remedy}")]
    internal static partial void NotWatched(ILogger logger, string folder, string reason, string remedy);

    [LoggerMessage(4008, LogLevel.Warning,
        "openat2 failed with {Error}: files below {Folder} are opened name by name, which is as safe but slower. Allow openat2 in the " +
        "seccomp profile of the container (deploy/seccomp.json) or in the SystemCallFilter= of the systemd unit.")]
    internal static partial void PathsAreWalked(ILogger logger, string folder, string error);

    [LoggerMessage(4006, LogLevel.Debug, "{Method} {Target} {Status} {LengthBytes} at the front door of {Connection}.")]
    internal static partial void Served(ILogger logger, string method, string target, int status, long lengthBytes, string connection);

    [LoggerMessage(4020, LogLevel.Warning, "The front door is closed {Whom}, because {Reason}. Requests take the pipeline. {Remedy}")]
    internal static partial void DoorShut(ILogger logger, string whom, string reason, string remedy);

    [LoggerMessage(4021, LogLevel.Warning,
        "The front door leaves some paths of {Folder} to the pipeline, such as {Path}: {Doubt}. Map that end point outside the folder's " +
        "prefix to use the front door.")]
    internal static partial void PathsLeft(ILogger logger, string folder, string path, string doubt);

    [LoggerMessage(4022, LogLevel.Warning,
        "The front door is closed until the next start, because an end point source, policy or option of the application threw: {Error} " +
        "Requests take the pipeline. Correct the code that throws.")]
    internal static partial void DoorFailed(ILogger logger, string error, Exception exception);

    [LoggerMessage(4007, LogLevel.Information, "{Path} changed while it was sent. Its connection was aborted.")]
    internal static partial void ChangedWhileSent(ILogger logger, string path);

    [LoggerMessage(4015, LogLevel.Warning,
        "The front door of {EndPoint} stays closed, because {Option} changes how the server reads or writes headers. Requests take the " +
        "pipeline. Remove the option, or remove UseIoxideFiles from this end point.")]
    internal static partial void EndPointWithoutDoor(ILogger logger, object endPoint, string option);
}
