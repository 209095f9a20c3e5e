namespace Ioxide.AspNetCore;

/// <summary>Makes a <see cref="Socket"/> over a second descriptor of a connection.</summary>
internal static class SocketDuplicate
{
    internal static Socket Of(RingConnection connection)
    {
        int descriptor = connection.Duplicate();
        if (descriptor < 0)
        {
            throw Errno.ToSocketException(-descriptor, "duplicate the connection's descriptor");
        }

        return new Socket(new SafeSocketHandle(descriptor, ownsHandle: true));
    }
}
