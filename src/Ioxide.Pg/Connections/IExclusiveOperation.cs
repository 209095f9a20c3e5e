namespace Ioxide.Pg;

/// <summary>An operation that no other may be sent behind while it runs: a COPY to the server.</summary>
internal interface IExclusiveOperation
{
    bool IsRunning { get; }
}
