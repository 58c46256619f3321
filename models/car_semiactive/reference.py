"""14-freedom car with two-chamber dampers and modal skyhook (independent of Flexloop)."""
import sys, numpy as np
from scipy.integrate import solve_ivp
AP, AD = 1.01788e-3, 3.80133e-4; AR = AP-AD
def run(current=0., v0=10., bars=1., lag=False, axis=False, jack=True, steer=6., T=6., rtol=1e-6, dead=1e-3, grav=True, seat=0., ratio_var=False):
    ms, mu, g = 1500., 40., 9.81
    Ixx, Iyy, Izz = 560., 2350., 2600.
    a, b, t2, h, hrc = 1.27, 1.49, .7979, .56, .17
    X = np.array([a,a,-b,-b]); Y = np.array([t2,-t2,t2,-t2])
    m = ms+4*mu
    Jz = Izz + mu*np.sum(X**2+Y**2)
    kw = np.array([22900.]*2+[25100.]*2); rr=.746
    karb = bars*np.array([30000.,12000.])   # Nm/rad
    kt, ct = 280835., 500.
    Fz0s = np.array([ms*g*b/(a+b)/2+mu*g]*2+[ms*g*a/(a+b)/2+mu*g]*2)
    Tm = np.c_[np.ones(4), Y, -X]; pinv = np.linalg.pinv(Tm); back = Tm@np.linalg.inv(Tm.T@Tm)
    cm = np.array([16e3,8e3,30e3])
    F0 = 4850*.81
    def Fy(al, Fz):
        Fz = np.maximum(Fz, 1.); df=(Fz-F0)/F0
        D=(1.0489-.18033*df)*Fz; K=21.92*F0*np.sin(2*np.arctan(Fz/(2.0012*F0)))
        B=K/(1.3507*D); E=-.0074722-.0063208*df; x=B*al
        F=D*np.sin(1.3507*np.arctan(x-E*(x-np.arctan(x))))
        Bt=10.904-1.8412*df-.52041*df*df; Dt=Fz/F0*.344*(.093509-.0092183*df); Et=-1.5697+.33394*df
        y=Bt*al; tr=Dt*np.cos(1.2136*np.arctan(y-Et*(y-np.arctan(y))))*np.cos(al)
        return F, -tr*F
    sq = lambda p: p/np.sqrt(abs(p)+2e4)
    def delta(t):
        return np.deg2rad(steer)*np.sin(2*np.pi*(t-1)/2.5) if 1<t<3.5 else 0.
    # state: x y psi | z phi theta | zu(4) | u v r | zd phid thd | zud(4) | alpha'(4) | pr(4) pc(4) i(4) | vm(3) | sf sfd
    n=3+3+4+3+3+4+4+12+3+2
    info={}
    def rhs(t,s,out=False):
        x,y,psi,z,ph,th=s[:6]; zu=s[6:10]; u,v,r,zd,phd,thd=s[10:16]; zud=s[16:20]; al=s[20:24]
        pr,pc,i=s[24:28],s[28:32],s[32:36]; vm=s[36:39]; d,dd=s[39:41]
        dl=delta(t)
        if not lag: d=dl
        steerv=np.array([d,d,0,0])
        zb=z+Y*ph-X*th; zbd=zd+Y*phd-X*thd
        e=zb-zu; ed=zbd-zud                     # suspension extension at wheel
        l=rr*e; lv=rr*ed
        p0=6e5*(1.5e-4/(1.5e-4+AD*l))**1.4
        ps=1e5+4.4e6*(np.clip(i,.3,1.6)-.3)/1.3
        Qv=2.6e-8*sq(pr-p0)+2.4e-10*np.maximum(0,pr-p0-ps)
        q=pc-pr; Qp=2e-6*sq(q)*np.where(q>0,1,1e-3)
        q=p0-pc; Qb=3.2e-6*sq(q)*np.where(q>0,1,1e-4)
        dpr=1e9/(1.25e-4-AR*l)*(AR*lv+Qp-Qv); dpc=1e9/(1.6e-4+AP*l)*(-AP*lv-Qp+Qb)
        Fd=(pr-101325)*AR-(pc-101325)*AP+(6e5-101325)*AD+20*np.tanh(lv/.01)
        roll_u=np.array([(zu[0]-zu[1]),(zu[2]-zu[3])])/(2*t2)
        M=karb*(ph-roll_u)                      # on the body -M
        Farb=np.repeat(M/(2*t2),2)*np.array([1,-1,1,-1])  # tension-like at wheels: pulls body down on left if ph>0
        Fs=-kw*e-rr*Fd-Farb                     # force on body upward (dynamic), on wheel downward
        Fzr=Fz0s-kt*zu-ct*zud
        Fz=np.maximum(Fzr,0)
        F,Mz=Fy(al,Fz)
        Fx=-F*np.sin(steerv); Fl=F*np.cos(steerv)
        V=-Fl*hrc/Y if jack else 0*Fl
        if not jack: 
            V=-np.array([ (Fl[0]+Fl[1])/2]*2+[(Fl[2]+Fl[3])/2]*2)*hrc/Y
        ax=np.sum(Fx)/m; ay=np.sum(Fl)/m
        ud=ax+r*v; vd=ay-r*u
        rd=(np.sum(X*Fl)-np.sum(Y*Fx)+np.sum(Mz))/Jz
        zdd=(np.sum(Fs)+np.sum(V))/ms
        arm=h-hrc
        if axis:      # body turns about the roll axis: CG moves sideways by arm*phi
            I=Ixx+ms*arm**2
        else: I=Ixx
        phdd=(np.sum(Y*Fs)+ms*ay*arm+(ms*g*arm*ph if grav else 0))/I
        thdd=(-np.sum(X*Fs)-np.sum(X*V)-0*ms*ax*h)/Iyy
        zudd=(Fz-Fz0s-Fs-V)/mu
        a_slip=steerv-np.arctan2(v+X*r,u-Y*r)
        ald=(a_slip-al)*abs(u)/.35
        ac=zdd+Y*phdd-X*thdd; am=pinv@ac
        gm=cm*vm; gd=back@gm/rr
        A=np.where(lv>0,AR,AD); Q=A*abs(lv); dp=abs(gd)/A; Qm=Q-2.6e-8*np.sqrt(dp)
        law=np.where((abs(lv)<dead)|(gd*lv<=0),.3,np.where(Qm<=0,1.6,.3+1.3*(dp-Qm/2.4e-10-1e5)/4.4e6))
        ic=np.clip(law,.3,1.6) if current==0 else np.full(4,current)
        if out: return ay,Fz,Fd,l,lv,ic,gd,(np.sum(Fl)/m)
        return np.concatenate([[u*np.cos(psi)-v*np.sin(psi),u*np.sin(psi)+v*np.cos(psi),r,zd,phd,thd],zud,[ud,vd,rd,zdd,phdd,thdd],zudd,ald,dpr,dpc,(ic-i)/.01,am-vm/1.,[dd,(dl-d-.02*dd)/1e-4 if lag else 0.]])
    s=np.zeros(n); s[10]=v0; s[24:32]=6e5; s[32:36]=.3
    ts=np.linspace(0,T,int(round(T/.01))+1); rows=[]
    atol=np.full(n,1e-8); atol[24:32]=1.; atol[32:36]=1e-5
    for t0,t1 in ((0,1),(1,3.5),(3.5,T)):
        at=ts[(ts>=t0-1e-12)&(ts<=t1+1e-12)]
        sol=solve_ivp(rhs,(t0,t1),s,method='Radau',rtol=rtol,atol=atol,t_eval=at,max_step=.01)
        assert sol.success, sol.message
        s=sol.y[:,-1]
        for k,t in enumerate(at[:-1] if t1<T else at): rows.append((t,sol.y[:,k],rhs(t,sol.y[:,k],True)))
    return rows
if __name__=='__main__':
    import time
    for name,kw in (('soft',dict(current=.3)),('hard',dict(current=1.6)),('sky',{})):
        t0=time.time(); R=run(**kw)
        ph=np.array([np.rad2deg(r[1][4]) for r in R]); phd=np.array([np.rad2deg(r[1][14]) for r in R]); ay=np.array([r[2][0] for r in R]); pr=np.array([r[1][24:28].max() for r in R]); F=np.array([r[2][2] for r in R]); Fz=np.array([r[2][1] for r in R])
        print(name,'%.0fs'%(time.time()-t0),'roll %.3f %.3f rate %.2f ay %.3f %.3f prmax %.3e F %.0f %.0f  Fz %.0f %.0f y3.5 %.3f y6 %.3f u %.3f'%(ph.max(),ph.min(),abs(phd).max(),ay.max(),ay.min(),pr.max(),F.max(),F.min(),Fz[:,:2].min(),Fz[:,:2].max(),R[350][1][1],R[-1][1][1],R[-1][1][10]))
