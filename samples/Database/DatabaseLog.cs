namespace Database;

internal static partial class DatabaseLog
{
    [LoggerMessage(
        1,
        LogLevel.Information,
        "There is no connection string. A private PostgreSQL was started in {Folder}, port {Port}; it and its tables go with this process.",
        EventName = "PrivateServerStarted")]
    internal static partial void Started(ILogger logger, string folder, int port);

    [LoggerMessage(2, LogLevel.Information, "The tables world, fortune and items are there; they were filled if they were empty.",
        EventName = "TablesFilled")]
    internal static partial void Filled(ILogger logger);
}
