namespace Ioxide.AspNetCore;

/// <summary>
/// An address cannot be bound for another reason than that of <see cref="BindException"/>. Kestrel tries the next one of several, such as IPv4
/// where a host has no IPv6. A host that does not start because of it prints one line.
/// </summary>
internal sealed class BindSocketException(string message, SocketException cause) : SocketException((int)cause.SocketErrorCode, message)
{
    public override string ToString() => Message;
}
