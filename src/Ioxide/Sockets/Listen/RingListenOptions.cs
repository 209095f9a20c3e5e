namespace Ioxide;

/// <summary>How a listener accepts.</summary>
public sealed class RingListenOptions
{
    /// <summary>Maximum connections that wait to be accepted, per reactor. Defaults to 512.</summary>
    public int Backlog { get; set; } = 512;

    /// <summary>Which reactor gets a new connection. Defaults to <see cref="AcceptBalancing.Kernel"/>.</summary>
    public AcceptBalancing Balancing { get; set; }

    /// <summary>
    /// Allows other processes of the same user to listen on the same port, to hand over a port without a gap. Defaults to
    /// false: a port in use is an error.
    /// </summary>
    public bool AllowPortSharing { get; set; }

    /// <summary>How accepted connections behave.</summary>
    public RingConnectionOptions Connection { get; set; } = new();

    /// <summary>
    /// Unbinding completes when the application has begun to read from every connection, or this long after the last accept. For servers
    /// that close unread connections once their listener has ended. Defaults to zero: it does not wait.
    /// </summary>
    internal TimeSpan FirstReadPatience { get; set; }

    internal RingListenOptions Clone()
    {
        var clone = (RingListenOptions)MemberwiseClone();
        clone.Connection = Connection.Clone();
        return clone;
    }

    internal void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(Backlog);
        ArgumentNullException.ThrowIfNull(Connection);
        Connection.Validate();
    }
}
