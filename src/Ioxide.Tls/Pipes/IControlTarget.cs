namespace Ioxide.Tls;

/// <summary>What records without data may make a session do. Threads: the reader's.</summary>
internal interface IControlTarget
{
    /// <summary>The session is over; <paramref name="alert"/>, where there is one, tells the peer why.</summary>
    void Fail(TlsException error, TlsAlert? alert);

    /// <summary>The peer goes on with new keys, and may ask for new ones of this side's.</summary>
    void NotePeerKeyUpdate(bool isAnswerRequested);

    /// <summary>TLS 1.2: the peer asked for another handshake.</summary>
    void RefuseRenegotiation();
}
