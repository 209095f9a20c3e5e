namespace Ioxide.Tls;

/// <summary>What records without data may make a session do. Threads: the reader's.</summary>
internal interface IControlTarget
{
    /// <summary>Ends the session; <paramref name="alert"/>, where there is one, tells the peer why.</summary>
    void Fail(TlsException error, TlsAlert? alert);

    /// <summary>The peer continues with new keys, and may ask this side to do the same.</summary>
    void NotePeerKeyUpdate(bool isAnswerRequested);

    /// <summary>TLS 1.2: the peer asked for another handshake.</summary>
    void RefuseRenegotiation();
}
