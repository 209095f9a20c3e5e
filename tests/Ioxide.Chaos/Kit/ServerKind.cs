namespace Ioxide.Chaos;

/// <summary>What serves: Kestrel on the transport, or the runtime alone.</summary>
public enum ServerKind
{
    Kestrel,
    Raw,
}
