namespace Ioxide.Pg;

/// <summary>An operation after which nothing else may be sent while it runs: a COPY to the server.</summary>
internal interface IExclusiveOperation
{
    bool IsRunning { get; }
}
