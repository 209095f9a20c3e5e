namespace Ioxide.Files;

/// <summary>Knows the file systems whose files may change without an event of this kernel: another machine or a process serves them.</summary>
/// <remarks>Source: f_type in statfs(2), include/uapi/linux/magic.h, and src/stat.c of GNU coreutils for those that Linux does not have.</remarks>
internal static class SharedFileSystem
{
    private const long Nfs = 0x6969;
    private const long Smb = 0x517B;
    private const long Cifs = 0xFF534D42;
    private const long Smb2 = 0xFE534D42;
    private const long Plan9 = 0x01021997;
    private const long Ceph = 0x00C36400;
    private const long OpenAfs = 0x5346414F;
    private const long KernelAfs = 0x6B414653;
    private const long Coda = 0x73757245;
    private const long Gfs2 = 0x01161970;
    private const long Ocfs2 = 0x7461636F;
    private const long Lustre = 0x0BD00BD0;
    private const long Gpfs = 0x47504653;
    private const long VirtualBox = 0x786F4256;
    private const long VMware = 0xBACBACBC;

    // Also virtiofs, and whatever else a process serves.
    private const long Fuse = 0x65735546;

    /// <summary>Whether an open folder lies on one. One whose kind the host does not tell counts as local.</summary>
    internal static bool Has(SafeFileHandle folder)
    {
        long kind = Sys.FileSystemOf((int)folder.DangerousGetHandle());
        GC.KeepAlive(folder);
        return kind is Nfs or Smb or Cifs or Smb2 or Plan9 or Ceph or OpenAfs or KernelAfs or Coda or Gfs2 or Ocfs2 or Lustre or Gpfs or VirtualBox
            or VMware or Fuse;
    }
}
